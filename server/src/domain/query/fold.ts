const ofTheirOwn = /[Σςİ]/

/** Case folding in JavaScript, so that both engines give the same result. */
export const fold = (text: string): string => {
  // Character by character: no final sigma, and no character becomes two.
  if (!ofTheirOwn.test(text)) return text.toLowerCase()
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')
}
