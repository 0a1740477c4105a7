import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Attribute, Change } from 'ldapts'
import type { IdentityProviderDto, Token } from '@muster/contract'
import { heldIn } from '../../server/src/testing/cas-platform.ts'
import { secretOf, type ClientResponse } from '../../server/src/testing/client.ts'
import { startLdapPlatform, type LdapPlatform } from '../../server/src/testing/ldap-platform.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { base, startSamba, type TestSamba } from './start-samba.ts'

/** As in `docs/signing-in.md`. */
const activeDirectory = {
  bind_dn: 'reader@example.org',
  bind_password: 'secret of reader',
  base_dn: base,
  user_filter: '(&(objectCategory=person)(objectClass=user)(sAMAccountName={name}))',
  id_attribute: 'objectGUID',
  name_attribute: 'sAMAccountName',
  group_filter: '(member:1.2.840.113556.1.4.1941:={dn})',
  nested_groups: false,
}

describe('Muster and Active Directory by Samba', () => {
  const lifetime = suiteLifetime()
  let samba: TestSamba
  let muster: LdapPlatform
  let provider: IdentityProviderDto
  before(async () => {
    samba = await startSamba()
    muster = await startLdapPlatform(lifetime, 'sqlite')
    provider = await muster.addLdap(
      { ...activeDirectory, servers: 'ldaps://localhost', sync_minutes: 15 },
      {
        mapping: [
          {
            attribute: 'groups',
            value: 'everybody',
            role_id: await muster.roleId('domain_viewer'),
            domain_id: 'default',
          },
        ],
      },
    )
  })
  after(() => samba.stop())

  const logIn = (name: string, password = `secret of ${name}`) => muster.logInAs({ name }, password)
  const tokenOf = async (name: string, password?: string) => {
    const answer = (await logIn(name, password)) as ClientResponse<{ token: Token }>
    assert.equal(answer.status, 201, answer.text)
    return answer.body.token
  }
  const change = (options: object) =>
    muster.changeProvider(provider.id, {
      options: { bind_password: 'secret of reader', ...options },
    })
  const replace = (name: string, type: string, values: string[]) =>
    samba.client.modify(
      `CN=${name},CN=Users,${base}`,
      new Change({ operation: 'replace', modification: new Attribute({ type, values }) }),
    )

  for (const servers of ['ldaps://localhost', 'ldap://localhost']) {
    test(`lets in people as themselves over ${servers}`, async () => {
      await change({ servers })
      const { user, role_assignments } = await tokenOf('ada')
      assert.deepEqual(heldIn(role_assignments), ['domain_viewer on Default'])
      assert.equal((await tokenOf('ADA', 'secret of ada')).user.Id, user.Id)
      for (const name of ['o(dd)', '张三']) {
        assert.equal((await tokenOf(name)).user.Name, name)
        assert.deepEqual((await tokenOf(name)).role_assignments, [])
      }
      const refused = [
        ['ada', 'wrong'],
        ['nobody', 'secret of ada'],
        ['disabled', 'secret of disabled'],
        ['*', 'secret of ada'],
      ]
      for (const [name = '', password] of refused) {
        await muster.assertRefusedPassword(await logIn(name, password), /^LDAP: /)
      }
    })
  }

  test('finds nested groups by a walk too', async () => {
    await change({ group_filter: '(member={dn})', nested_groups: true })
    assert.deepEqual(heldIn((await tokenOf('ada')).role_assignments), ['domain_viewer on Default'])
    await change(activeDirectory)
  })

  test('gets no password without TLS', async () => {
    await change({ servers: 'ldap://localhost', plain_text: 'loopback' })
    await muster.assertRefusedPassword(await logIn('ada'), /encryption required/)
    await change({ servers: 'ldaps://localhost', plain_text: 'never' })
  })

  test('ends who is disabled or leaves a group, and nobody else', async () => {
    const token = secretOf(await logIn('ada'))
    const other = secretOf(await logIn('o(dd)'))
    await tokenOf('grace')
    await replace('ada', 'userAccountControl', ['514'])
    await replace('staff', 'member', [`CN=ada,CN=Users,${base}`])
    assert.deepEqual(await muster.syncLater(), [])
    assert.deepEqual([await muster.statusOf(token), await muster.statusOf(other)], [401, 200])
    assert.deepEqual((await tokenOf('grace')).role_assignments, [])
    await muster.assertRefusedPassword(await logIn('ada'), /^LDAP: /)
    await replace('ada', 'userAccountControl', ['512'])
    assert.deepEqual(await muster.syncLater(), [])
    await tokenOf('ada')
  })
})
