import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Attribute, Change, DN } from 'ldapts'
import type { IdentityProviderDto, NewCredentialDto, Token } from '@muster/contract'
import { heldIn } from '../../server/src/testing/cas-platform.ts'
import {
  ask,
  loginAdmin,
  requestToken,
  secretOf,
  type ClientResponse,
} from '../../server/src/testing/client.ts'
import { startLdapPlatform, type LdapPlatform } from '../../server/src/testing/ldap-platform.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { base, reader, startSlapd, type TestSlapd } from './start.ts'

/** Names that mean something in filters or distinguished names, and other scripts. */
const oddNames = [
  'com,ma',
  'quo"te',
  "apo'strophe",
  'aster*isk',
  '*',
  String.raw`back\slash`,
  String.raw`\2a`,
  'plus+sign',
  'semi;colon',
  'less<than>more',
  'equals=sign',
  '#hash',
  'o(dd)',
  'ada)(uid=*',
  '张三',
  'Jörg Müller',
  'MiXed',
  'a@b.example',
]
/** Names that new users of Muster cannot have. */
const blankNames = [' leading', 'trailing ']

const people = [
  'ada',
  'grace',
  'edsger',
  'locked',
  'guessed',
  'expired',
  ...oddNames,
  ...blankNames,
]

const passwordOf = (name: string) => `secret of ${name}`
const dnOf = (name: string) => new DN().addPairRDN('uid', name).toString() + `,ou=people,${base}`
const groupDn = (name: string) => `cn=${name},ou=groups,${base}`
const direct = `uid={name},ou=people,${base}`

const ways = {
  'search and bind': { user_dn: '', bind_dn: reader.dn, bind_password: reader.password },
  'direct bind': { user_dn: direct, bind_dn: reader.dn, bind_password: reader.password },
  'direct bind without a reader': { user_dn: direct, bind_dn: '', bind_password: '' },
}

const engines =
  process.env['TEST_POSTGRES_URL'] === undefined
    ? (['sqlite'] as const)
    : (['sqlite', 'postgres'] as const)

for (const engine of engines) {
  describe(`Muster and a real slapd (${engine})`, () => {
    const lifetime = suiteLifetime()
    let slapd: TestSlapd
    let muster: LdapPlatform
    let provider: IdentityProviderDto
    let lab: string

    const addPerson = (name: string, attributes: Record<string, string> = {}) =>
      slapd.client.add(dnOf(name), {
        objectClass: ['inetOrgPerson', 'shadowAccount'],
        uid: name,
        cn: `Name of ${name}`,
        sn: 'x',
        mail: 'someone@example.org',
        userPassword: passwordOf(name),
        ...attributes,
      })
    const addGroup = (name: string, ...members: string[]) =>
      slapd.client.add(groupDn(name), { objectClass: 'groupOfNames', cn: name, member: members })
    const modify = (
      dn: string,
      operation: 'add' | 'delete' | 'replace',
      type: string,
      value: string,
    ) =>
      slapd.client.modify(
        dn,
        new Change({ operation, modification: new Attribute({ type, values: [value] }) }),
      )

    before(async () => {
      slapd = await startSlapd()
      muster = await startLdapPlatform(lifetime, engine)
      for (const name of people) await addPerson(name)
      await modify(dnOf('expired'), 'add', 'shadowExpire', '1')
      await modify(dnOf('locked'), 'add', 'pwdAccountLockedTime', '000001010000Z')
      await addGroup('staff', dnOf('ada'), dnOf('grace'), dnOf('edsger'))
      await addGroup('everybody', groupDn('staff'), groupDn('circle'))
      await addGroup('circle', groupDn('everybody'))
      const { body } = await muster.call<{ project: { id: string } }>('POST', '/v3/projects', {
        project: { name: 'lab', domain_id: 'default' },
      })
      lab = body.project.id
      provider = await muster.addLdap(
        { servers: slapd.ldaps, base_dn: base, sync_minutes: 15 },
        {
          mapping: [
            {
              attribute: 'groups',
              value: 'staff',
              role_id: await muster.roleId('project_editor'),
              project_id: lab,
            },
            {
              attribute: 'group_dns',
              value: groupDn('everybody'),
              role_id: await muster.roleId('domain_viewer'),
              domain_id: 'default',
            },
          ],
        },
      )
    })
    after(() => slapd.stop())

    const logIn = (name: string, password = passwordOf(name), scope?: object) =>
      muster.logInAs({ name }, password, scope)
    const tokenOf = async (name: string): Promise<Token> => {
      const answer = (await logIn(name)) as ClientResponse<{ token: Token }>
      assert.equal(answer.status, 201, `${name}: ${answer.text}`)
      return answer.body.token
    }
    const change = (options: object) => muster.changeProvider(provider.id, { options })
    /** The user of each name: always the same one, however they log in. */
    const users = new Map<string, string>()

    const channels = () => ({
      'plain on loopback': { servers: slapd.ldap, plain_text: 'loopback' },
      StartTLS: { servers: slapd.ldap, plain_text: 'never' },
      LDAPS: { servers: slapd.ldaps, plain_text: 'never' },
    })
    for (const [way, wayOptions] of Object.entries(ways)) {
      for (const channel of ['plain on loopback', 'StartTLS', 'LDAPS'] as const) {
        describe(`${way}, ${channel}`, () => {
          before(() => change({ ...channels()[channel], ...wayOptions }))

          test('lets in people with any name, as themselves', async () => {
            for (const name of ['ada', 'grace', ...oddNames]) {
              const { user } = await tokenOf(name)
              assert.equal(user.Name, name)
              assert.equal(users.get(name) ?? user.Id, user.Id, name)
              users.set(name, user.Id)
            }
            assert.equal(new Set(users.values()).size, users.size)
            const { user } = await tokenOf('ada')
            const shouted = await logIn('ADA', passwordOf('ada'))
            assert.equal((shouted.body as { token: Token }).token.user.Id, user.Id)
          })

          test('finds groups, also nested and in a circle', async () => {
            const { role_assignments } = await tokenOf('ada')
            const expected = ['domain_viewer on Default', 'project_editor on lab']
            assert.deepEqual(heldIn(role_assignments), expected)
            assert.deepEqual((await tokenOf('com,ma')).role_assignments, [])
          })

          test('refuses everything else alike, and changes nothing', async () => {
            const rows = await muster.lastingRows()
            const attempts: [string, string][] = [
              ['ada', passwordOf('grace')],
              ['ada', ' '],
              ['nobody', passwordOf('ada')],
              ['expired', passwordOf('expired')],
              ['locked', passwordOf('locked')],
              ['*', passwordOf('ada')],
              ['ad*', passwordOf('ada')],
              ['*)(uid=ada', passwordOf('ada')],
              [`ada,ou=people,${base}`, passwordOf('ada')],
              ['ada+cn=x', passwordOf('ada')],
              ['EXTERNAL', 'x'],
              ...blankNames.map((name): [string, string] => [name, passwordOf(name)]),
            ]
            for (const [name, password] of attempts) {
              await muster.assertRefusedPassword(await logIn(name, password), /^LDAP: /)
            }
            assert.equal((await logIn('ada', '')).status, 400)
            assert.ok(await loginAdmin(muster.url))
            const now = await muster.lastingRows()
            const bare = (list: unknown) => String(list).replaceAll(/"last_login_at":\d+/g, '')
            for (const table of ['subjects', 'assignments', 'users', 'tokens']) {
              assert.equal(bare(now[table]), bare(rows[table]), table)
            }
          })
        })
      }
    }

    describe('with LDAPS and a reader', () => {
      before(() => change({ ...channels().LDAPS, ...ways['search and bind'] }))

      test('a user that slapd locks after failures is refused, and not ended', async () => {
        const token = secretOf(await logIn('guessed'))
        for (let times = 0; times < 8; times += 1) await logIn('guessed', 'wrong')
        assert.equal((await logIn('guessed')).status, 401)
        assert.deepEqual(await muster.syncLater(), [])
        assert.equal(await muster.statusOf(token), 200)
      })

      test('groups come in pages, beyond the limit of one answer', async () => {
        for (let index = 0; index < 450; index += 1) await addGroup(`page${index}`, dnOf('com,ma'))
        await addGroup(
          'paged',
          ...Array.from({ length: 450 }, (_, index) => groupDn(`page${index}`)),
        )
        await modify(groupDn('staff'), 'add', 'member', groupDn('paged'))
        assert.equal((await tokenOf('com,ma')).role_assignments.length, 2)
      })

      test('a removed person ends with tokens and access keys; groups take their roles', async () => {
        const scope = { project: { id: lab } }
        const token = secretOf(await logIn('edsger', passwordOf('edsger'), scope))
        const { body, status, text } = await ask<{ credential: NewCredentialDto }>(
          muster.url,
          '/v3/credentials',
          { method: 'POST', token, body: { credential: { type: 'aksk', project_id: lab } } },
        )
        assert.equal(status, 201, text)
        const { id, blob } = body.credential
        const { secret } = JSON.parse(blob) as { secret: string }
        const identity = { methods: ['aksk'], access_key_secret: `${id}:${secret}` }
        const ofKey = secretOf(await requestToken(muster.url, { identity }))
        const graceToken = secretOf(await logIn('grace'))

        await slapd.client.del(dnOf('edsger'))
        await modify(groupDn('staff'), 'delete', 'member', dnOf('grace'))
        assert.equal(await muster.statusOf(token), 200)
        assert.deepEqual(await muster.syncLater(), [])
        assert.deepEqual([await muster.statusOf(token), await muster.statusOf(ofKey)], [401, 401])
        assert.equal((await requestToken(muster.url, { identity })).status, 401)
        assert.equal(await muster.statusOf(graceToken), 200)
        assert.deepEqual((await tokenOf('grace')).role_assignments, [])
        assert.equal((await tokenOf('ada')).role_assignments.length, 2)

        // Another person with the name and the distinguished name of the one before.
        await addPerson('edsger')
        await muster.assertRefusedPassword(await logIn('edsger'), /did not create/)
        assert.deepEqual(await muster.syncLater(), [])
        assert.equal((await requestToken(muster.url, { identity })).status, 401)
      })

      test('a renamed person stays the same user', async () => {
        const { user } = await tokenOf('ada')
        await slapd.client.modifyDN(dnOf('ada'), 'uid=countess')
        const renamed = await logIn('countess', passwordOf('ada'))
        assert.equal((renamed.body as { token: Token }).token.user.Id, user.Id, renamed.text)
      })

      test('a reader that may see nobody any more ends nobody', async () => {
        const token = secretOf(await logIn('com,ma'))
        await change({ base_dn: `ou=groups,${base}` })
        const [problem = ''] = await muster.syncLater()
        assert.match(problem, /people would end/)
        await change({ base_dn: `ou=nowhere,${base}` })
        assert.match((await muster.syncLater())[0] ?? '', /0x20/)
        assert.equal(await muster.statusOf(token), 200)
        await change({ base_dn: base })
      })

      test('a slapd that is gone refuses its users only', async () => {
        await slapd.stop()
        await muster.assertRefusedPassword(await logIn('grace'), /refuses the connection/)
        assert.ok(await loginAdmin(muster.url))
        assert.match((await muster.syncLater())[0] ?? '', /refuses the connection/)
        slapd = { ...slapd, stop: async () => {} }
      })
    })
  })
}
