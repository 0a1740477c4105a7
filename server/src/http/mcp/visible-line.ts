/** One line of visible characters: without controls, marks of direction and tags. */
export function toVisibleLine(text: string, maxLength: number): string {
  const clean = text
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  return [...clean].slice(0, maxLength).join('').trim()
}
