import assert from 'node:assert/strict'
import type { FactorDto, FactorsDto, Token } from '@muster/contract'
import { ask, requestToken, secretOf, tokenIdentity } from './client.ts'
import type { Engine } from './engines.ts'
import { startLinkWorld, userPassword, type LinkablePerson } from './link-world.ts'
import type { Lifetime } from './spawn-muster.ts'
import { totpCode as codeOf } from './totp-code.ts'

/** A person with an authenticator app. */
export interface FactorPerson extends LinkablePerson {
  readonly factorId: string
  readonly secret: string
  readonly recoveryCodes: readonly string[]
  /** Of the session that added the factor. */
  readonly token: string
}

/** A Muster with providers, and users with second factors. */
export async function startFactorWorld(lifetime: Lifetime, engine: Engine) {
  const world = await startLinkWorld(lifetime, engine)
  const { muster, succeed } = world
  const { db, commit, commitIdentity } = muster.database

  const passwordIdentity = (id: string, password = userPassword) => ({
    methods: ['password'],
    password: { user: { id, password } },
  })
  const pairIdentity = (id: string, passcode: string, password = userPassword) => ({
    ...passwordIdentity(id, password),
    methods: ['password', 'totp'],
    totp: { user: { id, passcode } },
  })
  const logIn = (identity: object, url = muster.url) => requestToken(url, { identity })
  const logInWithCode = ({ id }: Pick<LinkablePerson, 'id'>, passcode: string, url = muster.url) =>
    logIn(pairIdentity(id, passcode), url)

  /** As if the last code of a factor had been used long ago. */
  const forgetUse = (factorId: string) =>
    commit([
      db.updateTable('factors').set({ last_step: 0 }).where('id', '=', factorId).compile(),
      db.deleteFrom('login_attempts').where('failures', '>=', 0).compile(),
    ])
  const freshCode = async ({ factorId, secret }: FactorPerson) => {
    await forgetUse(factorId)
    return codeOf(secret)
  }

  const factorsPath = (id: string) => `/v3/users/${id}/factors`
  const call = <Body>(method: string, path: string, token: string, body?: unknown) =>
    muster.call<Body>(method, path, body, token)

  const getFactors = async (id: string, token?: string) =>
    await succeed<FactorsDto>('GET', factorsPath(id), undefined, token)

  const addFactor = (id: string, token: string, name = 'Phone') =>
    call<{ factor: FactorDto & { secret: string; uri: string } }>('POST', factorsPath(id), token, {
      factor: { name },
    })
  const confirm = (id: string, factorId: string, token: string, passcode: string) =>
    call<{ factor: FactorDto; recovery_codes: string[] }>(
      'POST',
      `${factorsPath(id)}/${factorId}/confirm`,
      token,
      { factor: { passcode } },
    )
  const verify = (id: string, token: string, passcode: string, url = muster.url) =>
    ask(url, `${factorsPath(id)}/verify`, { method: 'POST', token, body: { factor: { passcode } } })

  /** Adds and confirms a factor with a session of the user. */
  async function enrol(person: LinkablePerson, token: string): Promise<FactorPerson> {
    const added = await addFactor(person.id, token)
    assert.equal(added.status, 201, added.text)
    const { id: factorId, secret } = added.body.factor
    const confirmed = await confirm(person.id, factorId, token, codeOf(secret))
    assert.equal(confirmed.status, 200, confirmed.text)
    const { recovery_codes: recoveryCodes } = confirmed.body
    await forgetUse(factorId)
    return { ...person, factorId, secret, recoveryCodes, token }
  }

  const passwordToken = async ({ id }: Pick<LinkablePerson, 'id'>) =>
    secretOf(await logIn(passwordIdentity(id)))

  return {
    ...world,
    userPassword,
    passwordIdentity,
    pairIdentity,
    logIn,
    logInWithCode,
    codeOf,
    forgetUse,
    freshCode,
    factorsPath,
    call,
    getFactors,
    addFactor,
    confirm,
    verify,
    enrol,
    passwordToken,

    async addEnrolled(fields: object = {}): Promise<FactorPerson> {
      const person = await world.addUser(fields)
      return await enrol(person, await passwordToken(person))
    },

    rescope: (token: string) =>
      requestToken(muster.url, {
        identity: tokenIdentity(token),
        scope: { project: { id: world.project } },
      }),

    /** As if the last code had been sent with these tokens of a user some time ago; null for never. */
    setFactorTime: (userId: string, at: number | null) =>
      commitIdentity([
        db
          .updateTable('tokens')
          .set({ factor_at: at, factor_method: at === null ? null : 'totp' })
          .where('user_id', '=', userId)
          .compile(),
      ]),

    /** Consecutive failed logins, from the address with the most. */
    async failuresOf(userId: string): Promise<number> {
      const rows = await db
        .selectFrom('login_attempts')
        .where('bucket', 'like', `%${userId}%`)
        .select('failures')
        .execute()
      return Math.max(0, ...rows.map(({ failures }) => failures))
    },

    /** As if the delay after failed logins had just begun, so that no slow test runs past it. */
    block: (userId: string) =>
      commit([
        db
          .updateTable('login_attempts')
          .set({ blocked_until: Date.now() + 600_000 })
          .where('bucket', 'like', `%${userId}%`)
          .compile(),
      ]),

    methodsOf: async (token: string): Promise<readonly string[]> => {
      const { body } = await muster.call<{ token: Token }>(
        'GET',
        '/v3/auth/tokens',
        undefined,
        token,
      )
      return body.token.methods
    },
  }
}
export type FactorWorld = Awaited<ReturnType<typeof startFactorWorld>>
