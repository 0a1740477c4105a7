/**
 * Reads a text in single or double quotes at this position, and returns it with its end. Doubled quotes,
 * `\"`, `\'` and `\\` are escapes; any other backslash is literal. Returns `undefined` if no quote begins
 * here, and `'open'` if the quote does not end.
 */
export function scanQuoted(
  text: string,
  start: number,
): { readonly text: string; readonly end: number } | 'open' | undefined {
  const quote = text[start]
  if (quote !== "'" && quote !== '"') return undefined
  let said = ''
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]
    const next = text[at + 1]
    const isEscape = character === '\\' && (next === '\\' || next === "'" || next === '"')
    if (isEscape || (character === quote && next === quote)) {
      said += next
      at += 1
    } else if (character === quote) return { text: said, end: at + 1 }
    else said += character
  }
  return 'open'
}
