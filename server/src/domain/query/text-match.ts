import type { Comparison } from './condition.ts'
import { fold } from './fold.ts'

/** Compares by code point, like both engines. */
export const compareText = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b))

/** SQL `LIKE`: `%` matches any characters, `_` one. Backtracks only to the last `%`. */
function isLike(text: readonly string[], pattern: readonly string[]): boolean {
  let at = 0
  let next = 0
  let lastRun: { readonly after: number; at: number } | undefined
  while (at < text.length) {
    const wanted = pattern[next]
    if (wanted === '%') {
      lastRun = { after: next + 1, at }
      next += 1
    } else if (wanted === '_' || (wanted !== undefined && wanted === text[at])) {
      at += 1
      next += 1
    } else if (lastRun) {
      lastRun.at += 1
      at = lastRun.at
      next = lastRun.after
    } else {
      return false
    }
  }
  return pattern.slice(next).every((character) => character === '%')
}

/** Compares a text in memory. */
export function matchesText(
  text: string,
  comparison: Comparison,
  values: readonly string[],
): boolean {
  const [first = '', second = ''] = values
  switch (comparison) {
    case 'in':
    case 'equals':
      return values.includes(text)
    case 'notin':
    case 'notequals':
      return !values.includes(text)
    case 'between':
      return compareText(text, first) >= 0 && compareText(text, second) <= 0
    case 'ge':
      return compareText(text, first) >= 0
    case 'gt':
      return compareText(text, first) > 0
    case 'le':
      return compareText(text, first) <= 0
    case 'lt':
      return compareText(text, first) < 0
    case 'like':
      return isLike([...fold(text)], [...fold(first)])
    case 'contains':
      return fold(text).includes(fold(first))
    case 'startswith':
      return fold(text).startsWith(fold(first))
    case 'endswith':
      return fold(text).endsWith(fold(first))
    case 'isnull':
      return false
    case 'isnotnull':
      return true
    case 'isempty':
    case 'isnullorempty':
      return text === ''
    case 'isnotempty':
      return text !== ''
  }
}
