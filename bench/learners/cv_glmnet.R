# Times cv.glmnet of R's glmnet (Debian: r-cran-glmnet).
#   Rscript bench/learners/cv_glmnet.R FOLDER ROWS COLUMNS PENALTIES REPEATS
# FOLDER has x (float64, column after column) and y (0 or 1). Prints the seconds of the processor of each repetition.
suppressMessages(library(glmnet))
told <- commandArgs(trailingOnly = TRUE)
rows <- as.integer(told[2])
columns <- as.integer(told[3])
x <- matrix(readBin(file.path(told[1], "x"), "double", rows * columns), rows, columns)
y <- readBin(file.path(told[1], "y"), "double", rows)
for (i in seq_len(as.integer(told[5]))) {
  set.seed(i)
  start <- proc.time()
  cv.glmnet(x, y, family = "binomial", nlambda = as.integer(told[4]), lambda.min.ratio = 1e-3, nfolds = 10)
  spent <- proc.time() - start
  cat(spent[["user.self"]] + spent[["sys.self"]], "\n")
}
