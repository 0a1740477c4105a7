import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { IdentityProviderDto, Token } from '@muster/contract'
import { loginAdmin, secretOf, type ClientResponse } from '../../testing/client.ts'
import { fakePerson, ldapResult, startFakeLdap, type FakeLdap } from '../../testing/fake-ldap.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startLdapPlatform, type LdapPlatform } from '../../testing/ldap-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const tokenIn = ({ status, text, body }: ClientResponse): Token => {
  assert.equal(status, 201, text)
  return (body as { token: Token }).token
}

onEngineOfLane('a login with a password of a directory', (engine) => {
  const lifetime = suiteLifetime()
  let muster: LdapPlatform
  let ldap: FakeLdap
  let provider: IdentityProviderDto
  before(async () => {
    muster = await startLdapPlatform(lifetime, engine)
    ldap = await startFakeLdap(lifetime)
    ldap.entries.push(fakePerson('ada'), fakePerson('grace'), fakePerson('sysadmin'))
    provider = await muster.addLdap({ servers: ldap.url })
  })

  const logIn = (name: string, password = `secret of ${name}`) => muster.logInAs({ name }, password)

  test('creates the user, and finds them again whatever the name', async () => {
    const token = tokenIn(await logIn('ada'))
    const { Id, Name, Displayname, Email } = token.user
    assert.deepEqual(
      [token.methods, Name, Displayname, Email],
      [['password'], 'ada', 'Name of ada', 'ada@example.org'],
    )
    assert.equal(tokenIn(await logIn('ADA', 'secret of ada')).user.Id, Id)
    assert.equal(tokenIn(await muster.logInAs({ id: Id }, 'secret of ada')).user.Id, Id)
    const [entry] = ldap.entries.splice(2, 1)
    assert.ok(entry)
    ldap.entries.push({ ...entry, attributes: { ...entry.attributes, uid: ['countess'] } })
    assert.equal(tokenIn(await logIn('countess', 'secret of ada')).user.Id, Id)
    ldap.entries.pop()
    ldap.entries.splice(2, 0, entry)
  })

  test('is never accepted as that of another user', async () => {
    const grace = tokenIn(await logIn('grace')).user
    const rows = await muster.lastingRows()
    const answer = await muster.logInAs({ id: grace.Id }, 'secret of ada')
    await muster.assertRefusedPassword(answer, /^LDAP: wrong password$/)
    // The entry of this name is another person now.
    const index = ldap.entries.findIndex(({ dn }) => dn.startsWith('uid=grace'))
    const [entry] = ldap.entries.splice(index, 1)
    ldap.entries.push(fakePerson('grace', { entryUUID: ['another person'] }))
    await muster.assertRefusedPassword(await logIn('grace'), /did not create/)
    await muster.assertRefusedPassword(
      await muster.logInAs({ id: grace.Id }, 'secret of grace'),
      /another person/,
    )
    ldap.entries.pop()
    if (entry) ldap.entries.push(entry)
    assert.deepEqual(await muster.lastingRows(), rows)
  })

  test('two people whose names fold to one never become one user', async () => {
    ldap.entries.push(fakePerson('turing'), fakePerson('ＴＵＲＩＮＧ'))
    const { user } = tokenIn(await logIn('turing'))
    await muster.assertRefusedPassword(await logIn('ＴＵＲＩＮＧ'), /did not create/)
    assert.equal(tokenIn(await logIn('turing')).user.Id, user.Id)
  })

  test('users with a password of Muster log in with it only, and never show it to the directory', async () => {
    assert.ok(await loginAdmin(muster.url))
    await muster.assertRefusedPassword(
      await logIn('sysadmin'),
      /wrong name, password or second factor/,
    )
    const seen = JSON.stringify(ldap.binds)
    assert.ok(!seen.includes('secret of sysadmin') && !seen.includes('correct horse'))
  })

  test('a password that the domain refuses is none: the directory is asked', async () => {
    const { db, commitIdentity } = muster.database
    const name = 'lovelace'
    const local = 'tussocky moorland'
    ldap.entries.push(fakePerson(name, { entryUUID: ['subject of lovelace'] }))
    const { body } = await muster.call<{ user: { id: string } }>('POST', '/v3/users', {
      user: { name, password: local },
    })
    const link = { user_id: body.user.id, provider_id: provider.id, subject: 'subject of lovelace' }
    await muster.call('POST', '/v3/linked_logins', { linked_logins: [link] })
    const directory = `secret of ${name}`
    secretOf(await logIn(name, local))
    await muster.assertRefusedPassword(
      await logIn(name, directory),
      /wrong name, password or second factor/,
    )

    const setRule = (local_passwords: string) =>
      commitIdentity([db.updateTable('domains').set({ local_passwords }).compile()])
    await setRule('break_glass')
    const answer = await logIn(name, local)
    secretOf(await logIn(name, directory))
    const other = await logIn('nobody at all', local)
    await setRule('on')
    await muster.assertRefusedPassword(
      answer,
      /^LDAP: wrong password; local passwords are for break-glass users only$/,
    )
    assert.equal(other.status, 401)
    secretOf(await logIn(name, local))
  })

  test('a wrong password asks the directory as often for each kind of user', async () => {
    const workFor = async (name: string) => {
      const before = [ldap.binds.length, ldap.state.searches]
      assert.equal((await logIn(name, 'wrong')).status, 401)
      return [ldap.binds.length, ldap.state.searches].map((now, at) => now - (before[at] ?? 0))
    }
    const work = await workFor('ada')
    assert.notDeepEqual(work, [0, 0])
    assert.deepEqual(await workFor('sysadmin'), work)
    assert.deepEqual(await workFor('nobody at all'), work)
  })

  test('failed logins count for the delay, and those without an answer do not', async () => {
    ldap.entries.push(fakePerson('slow'), fakePerson('guessed'))
    tokenIn(await logIn('slow'))
    tokenIn(await logIn('guessed'))
    ldap.state.fault = (operation, socket, id) =>
      operation === 'search' && socket.write(ldapResult(id, 0x65, 4))
    for (let times = 0; times < 12; times += 1) assert.equal((await logIn('slow')).status, 401)
    ldap.state.fault = undefined
    for (let times = 0; times < 10; times += 1) {
      assert.equal((await logIn('guessed', 'wrong')).status, 401)
    }
    const { length } = ldap.binds
    await muster.assertRefusedPassword(await logIn('guessed'), /or delayed/)
    assert.equal(ldap.binds.length, length, 'the directory is not asked during the delay')
    tokenIn(await logIn('slow'))
  })

  describe('is refused like any other, and changes nothing:', () => {
    const refusals: Record<string, readonly [RegExp, () => Promise<ClientResponse>]> = {
      'wrong password': [/^LDAP: wrong password$/, () => logIn('ada', 'wrong')],
      'unknown name': [/^LDAP: no such person$/, () => logIn('nobody')],
      'a filter instead of a name': [/no such person/, () => logIn('*', 'secret of ada')],
      'a name with a space in front': [
        /no such person/,
        () => muster.logInAs({ name: ' ada' }, 'secret of ada'),
      ],
      'a password that is too long': [/too long/, () => logIn('ada', 'x'.repeat(2_000))],
      'a scope without a role': [
        /no role there/,
        () =>
          muster.logInAs({ name: 'new' }, 'secret of new', {
            project: { name: 'system', domain: { name: 'Default' } },
          }),
      ],
      'another domain': [
        /wrong name, password or second factor/,
        () => muster.logInAs({ name: 'ada', domain: { name: 'nowhere' } }, 'secret of ada'),
      ],
    }
    const faults: Record<string, readonly [RegExp, FakeLdap['state']['fault']]> = {
      garbage: [/does not speak LDAP/, (_, socket) => socket.write('nonsense')],
      'closed connection': [/closed the connection/, (_, socket) => socket.destroy()],
      'size limit': [
        /0x4/,
        (operation, socket, id) => operation === 'search' && socket.write(ldapResult(id, 0x65, 4)),
      ],
      'TLS refused': [
        /refuses StartTLS/,
        (operation, socket, id) =>
          operation === 'startTls' && socket.write(ldapResult(id, 0x78, 52)),
      ],
    }
    let rows: Awaited<ReturnType<LdapPlatform['lastingRows']>>
    before(async () => {
      ldap.entries.push(fakePerson('new'))
      rows = await muster.lastingRows()
    })
    after(async () => assert.deepEqual(await muster.lastingRows(), rows))

    for (const [name, [reason, attempt]] of Object.entries(refusals)) {
      test(name, async () => {
        await muster.assertRefusedPassword(await attempt(), reason)
      })
    }
    for (const [name, [reason, fault]] of Object.entries(faults)) {
      test(`${name}, while local logins work`, async () => {
        ldap.state.fault = fault
        await muster.assertRefusedPassword(await logIn('new'), reason)
        await muster.assertRefusedPassword(await logIn('ada'), reason)
        assert.ok(await loginAdmin(muster.url))
        ldap.state.fault = undefined
      })
    }
    test('an empty password', async () => {
      assert.equal((await logIn('ada', '')).status, 400)
    })
    test('a method "ldap", which there is not', async () => {
      const path = '/v3/auth/tokens'
      const identity = { methods: ['ldap'], credential: { name: 'ada', password: 'secret of ada' } }
      assert.equal((await muster.call('POST', path, { auth: { identity } })).status, 400)
    })
  })

  describe('the provider', () => {
    const change = (options: object) =>
      muster.call('PUT', `/v3/identity_providers/${provider.id}`, {
        identity_provider: { options },
      })

    test('never shows the password of bind_dn', async () => {
      const { text } = await muster.call('GET', '/v3/identity_providers')
      assert.ok(!text.includes('of the reader') && text.includes('base_dn'))
      assert.ok(!muster.log.text().includes('secret of ada'))
    })

    test('asks for it again if its receiver changes', async () => {
      const other = await startFakeLdap(lifetime)
      for (const options of [
        { servers: other.url },
        { servers: `${ldap.url} ${other.url}` },
        { plain_text: 'always' },
        { ca: '' },
      ]) {
        const { status, text } = await change(options)
        assert.equal(status, 400)
        assert.match(text, /bind_password is required, because/)
      }
      assert.equal(other.state.connections, 0)
      assert.equal((await change({ servers: ldap.url, name_attribute: 'uid' })).status, 200)
      assert.equal(
        (await change({ servers: ldap.url, bind_password: 'of the reader' })).status,
        200,
      )
    })

    test('is refused with addresses or ids that it cannot have', async () => {
      const wrong: [object, string][] = [
        [{ servers: 'https://localhost' }, 'servers'],
        [{ servers: 'ldap://localhost/dc=org' }, 'servers'],
        [{ servers: 'ldap://reader:secret@localhost' }, 'servers'],
        [{ servers: 'ldap://localhost ldap://127.0.0.1' }, 'servers'],
        [{ servers: '' }, 'servers'],
        [{ plain_text: 'yes' }, 'plain_text'],
        [{ base_dn: '' }, 'base_dn'],
        [{ sync_minutes: 1 }, 'sync_minutes'],
        [{ id_attribute: 'uid' }, 'id_attribute'],
        [{ id_attribute: 'objectGUID' }, 'id_attribute'],
      ]
      for (const [options, field] of wrong) {
        const { status, text } = await change({ bind_password: 'of the reader', ...options })
        assert.equal(status, 400, JSON.stringify(options))
        assert.match(text, new RegExp(`options\\.${field}`))
      }
    })

    test('is not asked with a second one in the domain', async () => {
      const second = await muster.addLdap({ servers: ldap.url }, { name: 'second' })
      await muster.assertRefusedPassword(await logIn('ada'), /several providers/)
      await muster.remove(second)
      tokenIn(await logIn('ada'))
    })

    test('takes its tokens with it', async () => {
      const token = secretOf(await logIn('ada'))
      assert.equal(await muster.statusOf(token), 200)
      await muster.changeProvider(provider.id, { enabled: false })
      assert.equal(await muster.statusOf(token), 401)
      await muster.assertRefusedPassword(
        await logIn('ada'),
        /wrong name, password or second factor/,
      )
      await muster.changeProvider(provider.id, { enabled: true })
      tokenIn(await logIn('ada'))
    })
  })
})
