import { keepText, keptText } from '../browser/kept-text.ts'
import type { Place } from './place.ts'

const key = (userId: string) => `muster.scope.${userId}`

/** Where a user was last, so that the next login leads there again. */
export const rememberScope = (userId: string, place: Place): void =>
  keepText(key(userId), JSON.stringify(place))

export function rememberedScope(userId: string): Place | undefined {
  try {
    return JSON.parse(keptText(key(userId)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}
