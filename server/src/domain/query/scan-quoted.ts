/**
 * A text in single or double quotes at this position: what it says, and where it ends. A doubled quote
 * is one of its characters, and so is one behind a backslash, as is a backslash behind another; any
 * other backslash stands for itself. `undefined` where no quote begins, `'open'` where none ends.
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
