import assert from 'node:assert/strict'
import type { LinkResultDto, NewCredentialDto, UserDto } from '@muster/contract'
import { newId } from '../domain/new-id.ts'
import { requestToken, secretOf } from './client.ts'
import type { Engine } from './engines.ts'
import { startFakeOidc, type FakeOidc } from './fake-oidc.ts'
import { proof, startOidcPlatform } from './oidc-platform.ts'
import type { Lifetime } from './spawn-muster.ts'

export const userPassword = 'unploughed headland'

export interface LinkablePerson {
  readonly id: string
  readonly name: string
  readonly key: string
}

/** A Muster with two OpenID providers, whose users have a role and an access key that linking must keep. */
export async function startLinkWorld(lifetime: Lifetime, engine: Engine) {
  const muster = await startOidcPlatform(lifetime, engine)
  const oidc = await startFakeOidc(lifetime)
  const other = await startFakeOidc(lifetime)
  const provider = (await muster.addOidc(oidc.issuer, { name: 'acme' })).id
  const otherProvider = (await muster.addOidc(other.issuer, { name: 'partners' })).id
  const away = await muster.identities.addDomain('away')
  const project = await muster.identities.addProject('lab')
  const role = await muster.roleId('project_owner')

  const succeed = async <Body>(method: string, path: string, body?: unknown, token?: string) => {
    const answer = await muster.call<Body>(method, path, body, token)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }

  /** Gives a user a role that no mapping knows, and an access key. */
  async function equip({ id, name }: Pick<UserDto, 'id' | 'name'>): Promise<LinkablePerson> {
    await succeed('PUT', `/v3/projects/${project}/users/${id}/roles/${role}`)
    const wish = { type: 'aksk', user_id: id, project_id: project }
    const { credential } = await succeed<{ credential: NewCredentialDto }>(
      'POST',
      '/v3/credentials',
      { credential: wish },
    )
    return { id, name, key: `${credential.access_key}:${credential.secret}` }
  }
  async function addUser(fields: object = {}): Promise<LinkablePerson> {
    const wish = { name: newId(), password: userPassword, domain_id: 'default', ...fields }
    const { user } = await succeed<{ user: UserDto }>('POST', '/v3/users', { user: wish })
    return await equip(user)
  }

  const codeAt = (at: FakeOidc, claims: object) => ({
    provider: at === oidc ? provider : otherProvider,
    code: at.codeFor(at.sign(at.claimsOf({ preferred_username: newId(), ...claims }))),
    iss: at.issuer,
    ...proof,
  })
  /** A login at a provider, which links it to the user of a token. */
  const logInAt = (at: FakeOidc, claims: object, link?: string) =>
    requestToken(muster.url, {
      identity: { methods: ['oidc'], credential: codeAt(at, claims) },
      ...(link !== undefined && { link: { token: link } }),
    })
  const logIn = (identity: object) => requestToken(muster.url, { identity })
  const passwordOf = (id: string) => ({
    methods: ['password'],
    password: { user: { id, password: userPassword } },
  })
  async function proofOf({ id }: LinkablePerson): Promise<string> {
    const answer = await logIn(passwordOf(id))
    return answer.status === 201 ? secretOf(answer) : 'mt1_none'
  }

  const send = (linked_logins: readonly object[], dry_run: boolean, token?: string) =>
    muster.call<{ linked_logins: LinkResultDto[] }>(
      'POST',
      '/v3/linked_logins',
      { dry_run, linked_logins },
      token,
    )
  const entry = ({ id: user_id }: LinkablePerson, subject: string, provider_id = provider) => ({
    user_id,
    provider_id,
    subject,
  })

  /** All that linking must not change, and the links. */
  async function takePicture() {
    const { db } = muster.database
    const users = await db
      .selectFrom('users')
      .select(['id', 'name', 'domain_id', 'enabled', 'password_hash', 'email'])
      .orderBy('id')
      .execute()
    const roles = await db.selectFrom('assignments').selectAll().orderBy('id').execute()
    const keys = await db
      .selectFrom('access_keys')
      .select(['id', 'user_id', 'project_id', 'enabled', 'expires_at'])
      .orderBy('id')
      .execute()
    const links = await db.selectFrom('subjects').selectAll().execute()
    const texts = links.map((row) => `${row.provider_id} ${row.subject} ${row.user_id}`)
    return { rest: { users, roles, keys }, links: texts.sort() }
  }

  return {
    muster,
    oidc,
    other,
    provider,
    otherProvider,
    away,
    project,
    succeed,
    equip,
    addUser,
    logInAt,
    logIn,
    passwordOf,
    proofOf,
    send,
    entry,
    takePicture,
  }
}
export type LinkWorld = Awaited<ReturnType<typeof startLinkWorld>>
