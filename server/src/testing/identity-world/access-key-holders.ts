import assert from 'node:assert/strict'
import type { CredentialDto, ErrorBody, NewCredentialDto } from '@muster/contract'
import type { Clock } from '../../domain/clock.ts'
import { newId } from '../../domain/new-id.ts'
import { ask, requestToken, type ClientResponse } from '../client.ts'
import { insertToken } from './insert-token.ts'
import { createIdentityWorld } from './create-identity-world.ts'
import { signLikeMuster, signLikeCloudpods } from '../sign-access-key.ts'
import type { TestPlatform } from '../start-platform.ts'

/** A user with a role in a project. It is not shared with other tests. */
export interface KeyHolder {
  readonly userId: string
  readonly name: string
  readonly userDomain: string
  readonly projectId: string
  readonly projectName: string
  readonly projectDomain: string
  readonly assignment: string
  /** For the project. */
  readonly token: string
}

/** An access key with its secret, which only the response that created it contains. */
export interface HeldKey {
  readonly id: string
  readonly secret: string
}

type Signing = Partial<Parameters<typeof signLikeMuster>[0]>
type KeyAnswer = ClientResponse<{ credential: NewCredentialDto } & ErrorBody>

interface Login {
  readonly scope?: unknown
  readonly headers?: Record<string, string>
  readonly method?: string
  /** Another process of the same installation. */
  readonly url?: string
}

/** The three ways to log in with a key: signed as Cloudpods does, signed as Muster does, in plain text. */
export const forms = ['cloudpods', 'own', 'plain'] as const
export const signedForms = ['cloudpods', 'own'] as const
type Form = (typeof forms)[number]

const day = 86_400_000

export const secretIn = ({ blob }: CredentialDto): string =>
  (JSON.parse(blob) as { secret: string }).secret

export const keyIdentity = (text: unknown, method = 'aksk') => ({
  methods: [method],
  access_key_secret: text,
})

/** Users with access keys on a running platform. */
export function createKeyHolders(platform: TestPlatform, clock: Clock = Date.now) {
  const { database, url } = platform
  const identities = createIdentityWorld(database)
  const host = new URL(platform.authUrl).host

  const plant = (userId: string, projectId?: string, domainId?: string) => {
    const issuedAt = clock()
    const scope =
      projectId === undefined
        ? ({ kind: 'domain', id: domainId ?? '' } as const)
        : ({ kind: 'project', id: projectId } as const)
    return insertToken(database, { userId, scope, issuedAt, expiresAt: issuedAt + day })
  }

  const credentials = (token: string, method: string, path = '', body?: unknown) =>
    ask<{ credential: CredentialDto; credentials: CredentialDto[] } & ErrorBody>(
      url,
      `/v3/credentials${path}`,
      { method, token, ...(body !== undefined && { body }) },
    )

  const tryToMake = (token: string, wish: object): Promise<KeyAnswer> =>
    ask(url, '/v3/credentials', {
      method: 'POST',
      token,
      body: { credential: { type: 'aksk', ...wish } },
    })

  async function makeKey(token: string, wish: object): Promise<HeldKey> {
    const answer = await tryToMake(token, wish)
    assert.equal(answer.status, 201, answer.text)
    const { access_key: id, secret } = answer.body.credential
    return { id, secret }
  }

  const signer = ({ id, secret }: HeldKey) => ({ accessKey: id, secret, now: clock(), host })

  const presentations = {
    /** Two of them within a second are the same text. */
    cloudpods: (key: HeldKey, changes: Signing = {}) =>
      signLikeCloudpods({ ...signer(key), ...changes }),
    /** Each with a nonce of its own. */
    own: (key: HeldKey, changes: Signing = {}) =>
      signLikeMuster({ ...signer(key), nonce: newId(), ...changes }),
    plain: ({ id, secret }: HeldKey, _changes?: Signing) => `${id}:${secret}`,
  }

  return {
    identities,
    plant,
    credentials,
    tryToMake,
    makeKey,

    /** A user with a project. A domain is created unless the test passes one. */
    async addHolder(
      options: { role?: string; userDomain?: string; projectDomain?: string } = {},
    ): Promise<KeyHolder> {
      const name = newId()
      const userDomain = options.userDomain ?? (await identities.addDomain(`users ${name}`))
      const projectDomain =
        options.projectDomain ?? (await identities.addDomain(`projects ${name}`))
      const projectName = `project ${name}`
      const projectId = await identities.addProject(projectName, projectDomain)
      const userId = await identities.addUser({ name, domainId: userDomain })
      const role = options.role ?? 'project_owner'
      const assignment = await identities.assign({ role, userId, projectId })
      const token = await plant(userId, projectId)
      return {
        userId,
        name,
        userDomain,
        projectId,
        projectName,
        projectDomain,
        assignment,
        token,
      }
    },

    /** A key of the holder's own, for the holder's own project. */
    makeOwnKey: ({ token, projectId }: KeyHolder, wish: object = {}) =>
      makeKey(token, { project_id: projectId, ...wish }),

    /** The first administrator in the project `system`, without a password login. */
    async plantAdmin(): Promise<string> {
      const { db } = database
      const user = await db
        .selectFrom('users')
        .select('id')
        .where('name', '=', 'sysadmin')
        .executeTakeFirstOrThrow()
      const project = await db
        .selectFrom('projects')
        .select('id')
        .where('name', '=', 'system')
        .executeTakeFirstOrThrow()
      return await plant(user.id, project.id)
    },

    /** The text that logs in with a key. */
    present: (form: Form, key: HeldKey, changes: Signing = {}) => presentations[form](key, changes),

    /** Sends what may be an access key to the token operation. */
    login: (text: unknown, { scope, headers, method, url: node = url }: Login = {}) =>
      requestToken(
        node,
        { identity: keyIdentity(text, method), ...(scope !== undefined && { scope }) },
        headers,
      ),
  }
}
export type KeyHolders = ReturnType<typeof createKeyHolders>
