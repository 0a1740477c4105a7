import { storeText, readStoredText } from '../browser/local-storage.ts'
import type { SessionScope } from './session-scope.ts'

const key = (userId: string) => `muster.scope.${userId}`

/** The last project or domain of a user, restored at the next login. */
export const rememberScope = (userId: string, scope: SessionScope): void =>
  storeText(key(userId), JSON.stringify(scope))

export function rememberedScope(userId: string): SessionScope | undefined {
  try {
    return JSON.parse(readStoredText(key(userId)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}
