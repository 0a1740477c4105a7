import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { loginAdmin, passwordIdentity, requestToken } from '../../testing/client.ts'
import {
  createSigningKey,
  nowSeconds,
  startFakeOidc,
  type FakeOidc,
} from '../../testing/fake-oidc.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { proof, startOidcPlatform, type OidcPlatform } from '../../testing/oidc-platform.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const respond =
  (status: number, type: string, body: string): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': type }).end(body)

onEngineOfLane('a login with a code of an OpenID provider', (engine) => {
  const lifetime = suiteLifetime()
  let muster: OidcPlatform
  let oidc: FakeOidc
  let provider: string
  before(async () => {
    muster = await startOidcPlatform(lifetime, engine)
    oidc = await startFakeOidc(lifetime)
    provider = (await muster.addOidc(oidc.issuer)).id
  })

  /** The credential that the gateway sends after a good answer. */
  const credentialOf = (code: string) => ({ provider, code, iss: oidc.issuer, ...proof })
  const tokenWith = (claims: object, header?: Record<string, unknown>) =>
    oidc.sign(oidc.claimsOf({ ...claims }), header)
  const logInBy = (idToken: string | RequestListener, changes: object = {}) =>
    muster.logInWith({ ...credentialOf(oidc.codeFor(idToken)), ...changes })

  test('creates a user of the subject, and finds the user again whatever the name', async () => {
    const first = await logInBy(tokenWith({ name: 'Ada Lovelace', email: 'ada@example.org' }))
    assert.equal(first.status, 201, first.text)
    const { methods, user } = first.body.token
    assert.deepEqual(
      [methods, user.Name, user.Displayname, user.Email],
      [['oidc'], 'ada', 'Ada Lovelace', 'ada@example.org'],
    )
    const second = await logInBy(tokenWith({ preferred_username: 'countess' }))
    assert.deepEqual([second.body.token.user.Id, second.body.token.user.Name], [user.Id, 'ada'])
    const sent = oidc.tokenRequests.at(-1)
    assert.deepEqual(
      [sent?.get('code_verifier'), sent?.get('redirect_uri'), sent?.get('grant_type')],
      [proof.code_verifier, proof.redirect_uri, 'authorization_code'],
    )
  })

  test('tolerates clocks that differ by half a minute', async () => {
    const times = [{ exp: nowSeconds() - 30 }, { iat: nowSeconds() + 30, nbf: nowSeconds() + 30 }]
    for (const claims of times) assert.equal((await logInBy(tokenWith(claims))).status, 201)
  })

  describe('is refused, and provisions nothing:', () => {
    const stranger = createSigningKey('stranger')
    /** Not known yet, so that a good token would create a user. */
    const mallory = { sub: 'mallory', preferred_username: 'mallory' }
    const jwkOf = () => createPublicKey(stranger.privateKey).export({ format: 'jwk' })
    const withoutClaim = (name: string) => {
      const { [name]: _, ...claims } = oidc.claimsOf(mallory) as Record<string, unknown>
      return oidc.sign(claims)
    }
    /** What the token endpoint answers, and what else differs from a good login. */
    const attacks: Record<string, () => readonly [string | RequestListener, object?]> = {
      'mix-up: the answer names another issuer': () => [
        tokenWith(mallory),
        { iss: 'https://other.test' },
      ],
      'mix-up: the ID token is of another issuer': () => [
        tokenWith({ ...mallory, iss: 'https://other.test' }),
      ],
      'nonce of another login': () => [tokenWith({ ...mallory, nonce: 'another' })],
      'no nonce': () => [withoutClaim('nonce')],
      'alg none': () => [tokenWith(mallory, { alg: 'none' })],
      'HS256 with the public key': () => [tokenWith(mallory, { alg: 'HS256' })],
      'a signature of another key with a known id': () => [
        oidc.sign(oidc.claimsOf(mallory), { kid: 'first' }, stranger),
      ],
      'a key in the header': () => [
        oidc.sign(oidc.claimsOf(mallory), { kid: 'first', jwk: jwkOf() }, stranger),
      ],
      'an address of keys in the header': () => [
        oidc.sign(
          oidc.claimsOf(mallory),
          { kid: 'stranger', jku: `${oidc.issuer}/evil` },
          stranger,
        ),
      ],
      'changed claims': () => {
        const [header, , signature] = tokenWith(mallory).split('.')
        const changed = oidc.claimsOf({ ...mallory, groups: ['staff'] })
        const claims = Buffer.from(JSON.stringify(changed)).toString('base64url')
        return [`${header}.${claims}.${signature}`]
      },
      'another audience': () => [tokenWith({ ...mallory, aud: 'another' })],
      'two audiences without azp': () => [tokenWith({ ...mallory, aud: ['muster', 'another'] })],
      'issued to another client': () => [tokenWith({ ...mallory, azp: 'another' })],
      expired: () => [tokenWith({ ...mallory, exp: nowSeconds() - 120 })],
      'without an end': () => [withoutClaim('exp')],
      'not valid yet': () => [tokenWith({ ...mallory, nbf: nowSeconds() + 120 })],
      'no subject': () => [withoutClaim('sub')],
      'an empty subject': () => [tokenWith({ ...mallory, sub: '' })],
      'a number for a subject': () => [tokenWith({ ...mallory, sub: 7 })],
      'no name for a new user': () => [tokenWith({ ...mallory, preferred_username: undefined })],
      'the name of a local user': () => [tokenWith({ ...mallory, preferred_username: 'sysadmin' })],
      'the same name in another spelling': () => [
        tokenWith({ ...mallory, preferred_username: 'ＳysAdmin' }),
      ],
      'groups that are somewhere else (overage)': () => [
        tokenWith({ ...mallory, _claim_names: { groups: 'src1' } }),
      ],
      'no ID token': () => [
        respond(200, 'application/json', '{"access_token":"at","token_type":"Bearer"}'),
      ],
      'a page instead of JSON': () => [respond(200, 'text/html', '<html>')],
      'an error of the provider': () => [
        respond(400, 'application/json', '{"error":"invalid_grant"}'),
      ],
      'a broken provider': () => [respond(500, 'text/plain', 'out of memory')],
      'a huge answer': () => [respond(200, 'application/json', `"${'x'.repeat(100_000)}"`)],
      'a redirect': () => [
        (_, response) => response.writeHead(307, { location: `${oidc.issuer}/evil` }).end(),
      ],
    }

    const lastingRows = async () => {
      const { events: _, spent: __, ...rows } = await dumpTables(muster.database)
      return rows
    }
    let rowsBefore: Awaited<ReturnType<typeof lastingRows>>
    before(async () => {
      rowsBefore = await lastingRows()
    })
    after(async () => assert.deepEqual(await lastingRows(), rowsBefore))

    for (const [name, attack] of Object.entries(attacks)) {
      test(name, async () => {
        const [idToken, changes] = attack()
        const asked = oidc.requestsOf('/token')
        const answer = await logInBy(idToken, changes)
        await muster.assertRefused(answer, /^OIDC: /)
        assert.ok(oidc.requestsOf('/token') > asked || changes, 'the code was not exchanged')
        assert.equal(oidc.requestsOf('/evil'), 0)
      })
    }
  })

  test('is refused if the answer names no issuer, although the provider says that it does', async () => {
    const { iss: _, ...credential } = credentialOf(oidc.codeFor(tokenWith({})))
    await muster.assertRefused(await muster.logInWith(credential), /^OIDC: /)
  })

  test('is refused with a code that was used before, which the provider is not asked about', async () => {
    const credential = credentialOf(oidc.codeFor(tokenWith({})))
    assert.equal((await muster.logInWith(credential)).status, 201)
    const asked = oidc.requestsOf('/token')
    await muster.assertRefused(await muster.logInWith(credential), /used before/)
    assert.equal(oidc.requestsOf('/token'), asked)
  })

  test('a flood of unknown key ids causes two requests for keys at most', async () => {
    const before = oidc.requestsOf('/jwks')
    for (let time = 0; time < 20; time += 1) {
      const answer = await logInBy(tokenWith({}, { kid: `unknown-${time}` }))
      assert.equal(answer.status, 401)
    }
    assert.ok(oidc.requestsOf('/jwks') - before <= 2)
  })

  test('the same subject of another issuer is another user', async () => {
    const other = await startFakeOidc(lifetime)
    const { id } = await muster.addOidc(other.issuer)
    const mine = await logInBy(tokenWith({}))
    const send = (name: string) =>
      muster.logInWith({
        ...credentialOf(other.codeFor(other.sign(other.claimsOf({ preferred_username: name })))),
        provider: id,
        iss: other.issuer,
      })
    await muster.assertRefused(
      await send('ada'),
      /"ada" is a user that the provider did not create/,
    )
    const theirs = await send('ada of another house')
    assert.notEqual(theirs.body.token.user.Id, mine.body.token.user.Id)
  })

  test('creates no users if the provider must not, but finds those that it created', async () => {
    await muster.changeProvider(provider, { options: { create_users: false } })
    const known = await logInBy(tokenWith({}))
    const unknown = await logInBy(tokenWith({ sub: 'new', preferred_username: 'grace' }))
    await muster.changeProvider(provider, { options: { create_users: true } })
    assert.equal(known.status, 201)
    await muster.assertRefused(unknown, /"grace" has no user, and the provider creates none/)
  })

  test('groups become roles, and stop being roles', async () => {
    const project_id = await muster.identities.addProject('lab')
    const role_id = await muster.roleId('project_owner')
    const rule = (attribute: string, value: string) => ({ attribute, value, role_id, project_id })
    await muster.changeProvider(provider, {
      mapping: [rule('groups', 'staff'), rule('realm_access.roles', 'staff')],
    })
    const rolesWith = async (claims: object) =>
      (await logInBy(tokenWith(claims))).body.token.role_assignments.map(({ role }) => role.name)
    assert.deepEqual(await rolesWith({ groups: ['guests', 'staff'] }), ['project_owner'])
    assert.deepEqual(await rolesWith({ groups: 'guests' }), [])
    assert.deepEqual(await rolesWith({ realm_access: { roles: ['staff'] } }), ['project_owner'])
    assert.deepEqual(await rolesWith({ 'groups ': ['staff'], Groups: ['staff'] }), [])
  })

  test('a group or role that is called like a role of Muster gives nothing', async () => {
    const { body } = await muster.call<{ roles: { name: string }[] }>('GET', '/v3/roles')
    const names = body.roles.map(({ name }) => name)
    assert.ok(names.includes('project_owner'))
    const claims = { groups: names, roles: names, role: names, realm_access: { roles: names } }
    const answer = await logInBy(tokenWith(claims))
    assert.deepEqual(answer.body.token.role_assignments, [])
  })

  test('while the provider is down, a password still works', async () => {
    const down = respond(503, 'text/plain', 'closed')
    oidc.state.script = down
    const answer = await logInBy(tokenWith({}))
    oidc.state.script = undefined
    await muster.assertRefused(answer, /^OIDC: /)
    assert.ok(await loginAdmin(muster.url))
    const wrong = await requestToken(muster.url, { identity: passwordIdentity('ada', 'x') })
    assert.equal(wrong.status, 401, 'a user of the provider has no password')
  })
})
