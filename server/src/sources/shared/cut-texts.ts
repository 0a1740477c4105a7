const [quote, ampersand, semicolon, less, greater, backslash] = [0x22, 0x26, 0x3b, 0x3c, 0x3e, 0x5c]
/** The length of an escape such as `\u00e4`. */
const longestEscape = 6

const isSpace = (byte: number) => byte <= 0x20

/**
 * Cuts the texts in a JSON or XML document while it arrives, so that one long text does not make the rest of the
 * document unreadable. The document stays well formed: no escape, entity or character is split.
 */
export function createTextCutter(maxLength: number) {
  let isXml: boolean | undefined
  let state = { isText: false, isDropping: false, isEscaped: false, length: 0, sinceEscape: 0 }

  /** The parts of the next bytes that remain. */
  return function cut(chunk: Buffer): Buffer[] {
    isXml ??= chunk.find((byte) => !isSpace(byte)) === less
    // Local variables, because the loop runs for every byte that a source sends.
    let { isText, isDropping, isEscaped, length, sinceEscape } = state
    const parts: Buffer[] = []
    let start = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      let mayEnd: boolean
      if (isXml) {
        if (byte === (isText ? less : greater)) {
          isText = !isText
          length = -1
          isEscaped = false
        }
        mayEnd = !isEscaped
        if (byte === ampersand) isEscaped = true
        else if (byte === semicolon) isEscaped = false
      } else {
        mayEnd = sinceEscape >= longestEscape || (byte === backslash && !isEscaped)
        sinceEscape += 1
        if (isEscaped) {
          isEscaped = false
        } else if (byte === quote) {
          isText = !isText
          length = -1
          sinceEscape = longestEscape
        } else if (byte === backslash && isText) {
          isEscaped = true
          sinceEscape = 1
        }
      }
      if (!isText) {
        if (isDropping) start = at
        isDropping = false
        continue
      }
      length += 1
      // The second and later bytes of a character are not separated from the first.
      if (length < maxLength || isDropping || !mayEnd || (byte & 0xc0) === 0x80) continue
      isDropping = true
      parts.push(chunk.subarray(start, at))
    }
    if (!isDropping) parts.push(chunk.subarray(start))
    state = { isText, isDropping, isEscaped, length, sinceEscape }
    return parts.filter((part) => part.length > 0)
  }
}
