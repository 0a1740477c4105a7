import assert from 'node:assert/strict'
import type { LocalPasswordsDto, LocalPasswordsRequest } from '@muster/contract'
import { newId } from '../domain/new-id.ts'
import { ask, requestToken, secretOf, tokenIdentity } from './client.ts'
import type { Engine } from './engines.ts'
import { startLinkWorld, type LinkablePerson } from './link-world.ts'
import type { Lifetime } from './spawn-muster.ts'

/** A Muster with a provider, an administrator who logs in there, and the rule about passwords. */
export async function startLocalPasswordWorld(lifetime: Lifetime, engine: Engine) {
  const world = await startLinkWorld(lifetime, engine)
  const { muster, succeed } = world
  const { db, commitIdentity } = muster.database
  const adminRole = await muster.roleId('admin')

  const link = ({ id: user_id }: Pick<LinkablePerson, 'id'>, subject = newId()) =>
    succeed('POST', '/v3/linked_logins', {
      linked_logins: [{ user_id, provider_id: world.provider, subject }],
    }).then(() => subject)

  const rescope = async (token: string) =>
    secretOf(
      await requestToken(muster.url, {
        identity: tokenIdentity(token),
        scope: { project: { id: world.project } },
      }),
    )

  /** A system administrator who logs in at the provider only. */
  async function addChief(): Promise<LinkablePerson & { readonly subject: string }> {
    const user = await world.addUser({ password: null })
    await succeed('PUT', `/v3/system/users/${user.id}/roles/${adminRole}`)
    return { ...user, subject: await link(user) }
  }
  const logInChief = async (subject: string) =>
    rescope(secretOf(await world.logInAt(world.oidc, { sub: subject })))

  const chief = await addChief()
  const chiefToken = await logInChief(chief.subject)

  const send = (request: LocalPasswordsRequest, token = chiefToken, domain = 'default') =>
    ask<{ local_passwords: LocalPasswordsDto }>(
      muster.url,
      `/v3/domains/${domain}/local_passwords`,
      { method: 'POST', token, body: { local_passwords: request } },
    )
  async function preview(token = chiefToken, domain = 'default'): Promise<LocalPasswordsDto> {
    const answer = await send({ value: 'break_glass', dry_run: true }, token, domain)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.local_passwords
  }
  const restrict = async (token = chiefToken, domain = 'default') =>
    send({ value: 'break_glass', preview: (await preview(token, domain)).preview }, token, domain)

  const sysadmin = await db
    .selectFrom('users')
    .select('id')
    .where('name', '=', 'sysadmin')
    .executeTakeFirstOrThrow()

  const changeUser = (id: string, user: object, token = chiefToken) =>
    muster.call('PUT', `/v3/users/${id}`, { user }, token)

  return {
    ...world,
    chief,
    chiefToken,
    adminId: sysadmin.id,
    adminRole,
    link,
    rescope,
    addChief,
    logInChief,
    sendRule: send,
    preview,
    restrict,
    changeUser,

    /** Ends the rule, and all marks but that of the first administrator and one more. */
    async reset(marked: readonly string[] = []) {
      await commitIdentity([
        db
          .updateTable('domains')
          .set({ local_passwords: 'on', local_passwords_since: null })
          .where('local_passwords', '=', 'break_glass')
          .compile(),
        db.updateTable('users').set({ break_glass: 0 }).where('break_glass', '=', 1).compile(),
        ...marked.map((id) =>
          db.updateTable('users').set({ break_glass: 1 }).where('id', '=', id).compile(),
        ),
      ])
    },

    ruleOf: async (domain = 'default') =>
      await db
        .selectFrom('domains')
        .select(['local_passwords', 'local_passwords_since'])
        .where('id', '=', domain)
        .executeTakeFirstOrThrow(),
  }
}
export type LocalPasswordWorld = Awaited<ReturnType<typeof startLocalPasswordWorld>>
