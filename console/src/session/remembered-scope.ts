import { storeText, readStoredText } from '../browser/local-storage.ts'

/** The scope of a session. */
export type SessionScope = { readonly project_id: string } | { readonly domain_id: string }

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
