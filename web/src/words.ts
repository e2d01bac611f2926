// Where long names may break: after underscores, dots and the like, and before a capital letter inside a word.
const longest = 14; // letters that fit anywhere
const breaks = /(?<=[_./\\:=,;|-])(?=[\p{L}\p{N}_])|(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

// The parts of a text between which a line may end, besides its blanks.
export function wordParts(text: string): string[] {
  const parts: string[] = [];
  for (const word of text.split(/(?<=\s)/u)) {
    const pieces = word.length > longest ? word.split(breaks) : [word];
    // Plain words go with what stands before them: only breaks inside long words are of interest.
    if (parts.length > 0) parts[parts.length - 1] += pieces.shift() ?? "";
    parts.push(...pieces);
  }
  return parts;
}
