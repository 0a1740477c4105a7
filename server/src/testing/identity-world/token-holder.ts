import assert from 'node:assert/strict'
import { ask, requestToken, secretOf, tokenIdentity } from '../client.ts'
import type { IdentityApi } from './open-identity-api.ts'

/** A user with every kind of token; nothing of it is shared with other tests. */
export interface TokenHolder {
  readonly userId: string
  readonly userDomain: string
  readonly project: string
  readonly projectDomain: string
  readonly projectRole: string
  readonly domainRole: string
  readonly keyId: string
  readonly keySecret: string
  readonly provider: string
  readonly tokens: {
    readonly unscoped: string
    /** For the domain of the project. */
    readonly inDomain: string
    readonly inProject: string
    /** Made from the one before. */
    readonly child: string
    readonly byKey: string
    readonly childByKey: string
    readonly byProvider: string
    readonly childByProvider: string
  }
}
export type TokenName = keyof TokenHolder['tokens']

export const rescope = (url: string, token: string, project?: string) =>
  requestToken(url, {
    identity: tokenIdentity(token),
    ...(project !== undefined && { scope: { project: { id: project } } }),
  })

type Key = Pick<TokenHolder, 'keyId' | 'keySecret'>

export const logInByKey = (url: string, { keyId, keySecret }: Key) =>
  requestToken(url, {
    identity: { methods: ['aksk'], access_key_secret: `${keyId}:${keySecret}` },
  })

/** 200 for a valid token, otherwise 401. */
export const statusOf = async (url: string, token: string) =>
  (await ask(url, '/v3/auth/catalog', { token })).status

export async function makeKey(
  url: string,
  token: string,
  project_id: string,
  wish: object = {},
): Promise<Key> {
  const answer = await ask<{ credential: { id: string; blob: string } }>(url, '/v3/credentials', {
    method: 'POST',
    token,
    body: { credential: { type: 'aksk', project_id, ...wish } },
  })
  assert.equal(answer.status, 201, answer.text)
  const { id, blob } = answer.body.credential
  return { keyId: id, keySecret: (JSON.parse(blob) as { secret: string }).secret }
}

export async function addTokenHolder(
  identityApi: IdentityApi,
  passwordHash?: string,
): Promise<TokenHolder> {
  const { url } = identityApi
  const life = await identityApi.add((plan) => {
    const userDomain = plan.domain()
    const projectDomain = plan.domain()
    const userId = plan.user(userDomain, passwordHash)
    const project = plan.project(projectDomain)
    const projectRole = plan.role('project', 'allow compute servers get').id
    plan.grant(projectRole, { user: userId }, { project })
    const domainRole = plan.role('domain', 'allow compute servers get').id
    plan.grant(domainRole, { user: userId }, { domain: projectDomain })
    const provider = plan.provider(userDomain)
    return {
      userId,
      userDomain,
      project,
      projectDomain,
      projectRole,
      domainRole,
      provider,
    }
  })
  const { userId, project, projectDomain, provider } = life
  const where = { project }
  const [unscoped, inDomain, inProject, byProvider] = await Promise.all([
    identityApi.tokenFor(userId),
    identityApi.tokenFor(userId, { domain: projectDomain }),
    identityApi.tokenFor(userId, where),
    identityApi.tokenFor(userId, where, { method: 'cas', providerId: provider }),
  ])
  const key = await makeKey(url, inProject, project)
  const byKey = secretOf(await logInByKey(url, key))
  const childOf = async (token: string) => secretOf(await rescope(url, token, project))
  const [child, childByKey, childByProvider] = await Promise.all(
    [inProject, byKey, byProvider].map(childOf),
  )
  assert.ok(child && childByKey && childByProvider)
  return {
    ...life,
    ...key,
    tokens: {
      unscoped,
      inDomain,
      inProject,
      child,
      byKey,
      childByKey,
      byProvider,
      childByProvider,
    },
  }
}
