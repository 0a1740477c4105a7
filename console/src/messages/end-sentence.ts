/** A text with a full stop, unless it has one. Texts of providers may be several sentences. */
export const endSentence = (text: string, stop: string): string =>
  /[.。!?！？]$/.test(text) ? text : `${text}${stop}`
