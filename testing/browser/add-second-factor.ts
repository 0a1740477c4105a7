import assert from 'node:assert/strict'
import { ask, requestToken, secretOf } from '../../server/src/testing/client.ts'
import { totpCode } from '../../server/src/testing/totp-code.ts'
import type { Person } from './enter-as.ts'
import type { TestConsole } from './start-console.ts'

export interface FactorOwner extends Person {
  readonly userId: string
  readonly factorId: string
  readonly secret: string
  readonly recoveryCodes: readonly string[]
}

/** As if the codes of the last half minute had not been used, and nobody had failed to log in. */
export const forgetCodes = ({ database: { db, commit } }: TestConsole) =>
  commit([
    db.updateTable('factors').set({ last_step: 0 }).compile(),
    db.deleteFrom('login_attempts').compile(),
  ])

/** As if the last code of a user had been sent long ago. */
export const forgetFreshCodes = ({ database: { db, commitIdentity } }: TestConsole, id: string) =>
  commitIdentity([
    db.updateTable('tokens').set({ factor_at: 1 }).where('user_id', '=', id).compile(),
  ])

/** Adds a second factor to a user, with another session than that of the browser. */
export async function addSecondFactor(
  testConsole: TestConsole,
  person: Person & { readonly userId: string },
): Promise<FactorOwner> {
  const { url } = testConsole
  const { userId, password } = person
  const login = await requestToken(url, {
    identity: { methods: ['password'], password: { user: { id: userId, password } } },
  })
  const token = secretOf(login)
  async function post<Body>(path: string, body: object): Promise<Body> {
    const address = `/v3/users/${userId}/factors${path}`
    const answer = await ask<Body>(url, address, { method: 'POST', token, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const { factor } = await post<{ factor: { id: string; secret: string } }>('', {
    factor: { name: 'Phone' },
  })
  const { recovery_codes: recoveryCodes } = await post<{ recovery_codes: string[] }>(
    `/${factor.id}/confirm`,
    { factor: { passcode: totpCode(factor.secret) } },
  )
  await forgetCodes(testConsole)
  return { ...person, factorId: factor.id, secret: factor.secret, recoveryCodes }
}
