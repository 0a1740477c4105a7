import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError } from '../../testing/assert-error.ts'
import { ask } from '../../testing/client.ts'
import { createKeyHolders, type HeldKey } from '../../testing/identity-world/access-key-holders.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'

const paths = ['/sd/prometheus', '/inventory/ansible', '/inventory/ssh-config', '/inventory/hosts']

const nic = (ip_addr: string) => ({
  ip_addr,
  ip6_addr: '',
  mac: '',
  team_with: '',
  network_id: 'n',
  vpc_id: '',
  is_exit: false,
})

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

onEngineOfLane('feeds for other programs', (engine) => {
  let fleet: InventoryWorld
  let holders: ReturnType<typeof createKeyHolders>
  let key: HeldKey

  before(async () => {
    fleet = await startInventoryWorld(engine, {
      servers: 0,
      flags: ['--login-failures-per-minute=3', '--trusted-proxies=127.0.0.1'],
    })
    const [own, foreign] = [projectAt(fleet, 0).id, projectAt(fleet, 3).id]
    // More than a page of the export.
    const many = Array.from({ length: 120 }, (_, at) =>
      minimalServer(own, {
        name: `db-${at}`,
        status: 'ready',
        nics: [nic(`10.1.0.${at + 1}`)],
        created_at: '2026-05-05T08:00:00.000000Z',
      }),
    )
    await fleet.record([
      minimalServer(own, { name: 'web', nics: [nic('10.0.0.1')], eip: '203.0.113.1' }),
      minimalServer(own, { name: 'no address', nics: [] }),
      minimalServer(own, { name: 'bin', nics: [nic('10.0.0.9')], pending_deleted: true }),
      minimalServer(foreign, { name: 'secret', nics: [nic('10.9.9.9')] }),
      ...many,
    ])
    holders = createKeyHolders(fleet.platform)
    const { token } = fleet.callers.owner
    key = await holders.makeKey(token, { project_id: own })
  })
  after(() => fleet.platform.close())

  const get = (path: string, headers: Record<string, string>) => ask(fleet.url, path, { headers })
  const asOwner = (path: string) => get(path, { 'x-auth-token': fleet.callers.owner.token })
  const tokenCount = async () =>
    (await fleet.platform.database.db.selectFrom('tokens').select('id').execute()).length

  test('have the servers and the filters of the list', async () => {
    const targets = await asOwner('/sd/prometheus?status=running&port=80&address=public')
    assert.equal(targets.headers.get('content-type'), 'application/json; charset=UTF-8')
    const [target, ...others] = JSON.parse(targets.text) as { targets: string[]; labels: object }[]
    assert.deepEqual(others, [])
    assert.deepEqual(target?.targets, ['203.0.113.1:80'])
    assert.equal(new Map(Object.entries(target?.labels ?? {})).get('__meta_muster_name'), 'web')

    assert.equal((JSON.parse((await asOwner('/sd/prometheus')).text) as object[]).length, 121)
    const hosts = await asOwner('/inventory/hosts?q=status:running')
    assert.equal(hosts.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.match(
      hosts.text,
      /^# Made by Muster.*\n(?:10\.0\.0\.1 web\n|# server [\w-]+ is left out: no such address\n){2}$/,
    )
    const ssh = await asOwner('/inventory/ssh-config?name=web&suffix=.vm.test')
    assert.match(ssh.text, /\nHost web\.vm\.test\n {2}HostName 10\.0\.0\.1\n$/)
    const ansible = await asOwner('/inventory/ansible?group_by=status&group_by=metadata.env')
    const inventory = JSON.parse(ansible.text) as Record<string, { hosts: string[] }>
    assert.deepEqual(Object.keys(inventory), [
      '_meta',
      'all',
      'status_running',
      'tag_env_prod',
      'status_ready',
    ])
    assert.equal(inventory['status_ready']?.hosts.length, 120)
  })

  test('have no servers of other projects, nor of the recycle bin', async () => {
    for (const path of paths) {
      const { status, text } = await asOwner(`${path}?scope=project`)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /secret|10\.9\.9\.9|\bbin\b|10\.0\.0\.9/)
    }
    const hosts = await get('/inventory/hosts?scope=max', {
      'x-auth-token': fleet.callers.admin.token,
    })
    assert.match(hosts.text, /^10\.9\.9\.9 secret$/m)
  })

  test('name a host alike under all filters, as others have its name', async () => {
    const [own, foreign] = [projectAt(fleet, 0).id, projectAt(fleet, 3).id]
    const made = ['running', 'ready'].map((status, at) =>
      minimalServer(own, { name: at === 0 ? 'twin' : 'TWIN', status, nics: [nic(`10.2.0.${at}`)] }),
    )
    const single = minimalServer(own, { name: 'single', nics: [nic('10.2.0.3')] })
    await fleet.record([...made, single, minimalServer(foreign, { name: 'single' })])
    const [first = '', second = ''] = made.map(({ name, id }) => `${name}-${id.slice(0, 8)}`)
    const linesOf = async (query: string, token = fleet.callers.owner.token) =>
      (await get(`/inventory/hosts?${query}`, { 'x-auth-token': token })).text
        .split('\n')
        .filter((line) => line.startsWith('10.2.'))
        .toSorted()
    const all = [`10.2.0.0 ${first}`, `10.2.0.1 ${second}`, '10.2.0.3 single']
    assert.deepEqual(await linesOf('scope=project'), all)
    assert.deepEqual(await linesOf('scope=project&status=ready'), all.slice(1, 2))
    // Who sees the other one, too, gets no host of that name.
    assert.deepEqual(await linesOf('scope=system&name=single', fleet.callers.admin.token), [
      `10.2.0.3 single-${single.id.slice(0, 8)}`,
    ])
  })

  test('have no length for HEAD, like exports: it is not known', async () => {
    for (const path of [...paths, '/servers?format=csv']) {
      const { status, headers } = await fetch(fleet.url + path, {
        method: 'HEAD',
        headers: { 'x-auth-token': fleet.callers.owner.token },
      })
      assert.equal(status, 200, path)
      assert.equal(headers.get('content-length'), null, path)
      assert.notEqual(headers.get('content-type'), null, path)
    }
  })

  test('refuse unknown options', async () => {
    for (const query of ['limit=1', 'port=0', 'address=any', 'suffix=x', 'group_by=nothing']) {
      const answer = await asOwner(`/inventory/ansible?${query}`)
      assertError(answer, 'InputParameterError')
    }
  })

  test('accept an access key by HTTP Basic, log in once, and follow what becomes of the key', async () => {
    const before = await tokenCount()
    for (const path of paths) {
      for (let at = 0; at < 2; at += 1) {
        const answer = await get(path, basic(key.id, key.secret))
        assert.equal(answer.status, 200, answer.text)
        assert.match(answer.text, /10\.0\.0\.1/)
        assert.doesNotMatch(answer.text, /10\.9\.9\.9/)
        assert.match(answer.headers.get('vary') ?? '', /Authorization/)
        assert.match(answer.headers.get('cache-control') ?? '', /^private/)
      }
    }
    assert.equal(await tokenCount(), before + 1)

    const owner = fleet.callers.owner.token
    const change = (enabled: boolean) =>
      holders.credentials(owner, 'PUT', `/${key.id}`, { credential: { enabled } })
    assert.equal((await change(false)).status, 200)
    assertError(await get('/inventory/hosts', basic(key.id, key.secret)), 'UnauthorizedError')
    assert.equal((await change(true)).status, 200)
    assert.equal((await get('/inventory/hosts', basic(key.id, key.secret))).status, 200)
  })

  test('challenge with Basic; other operations neither do so nor accept it', async () => {
    for (const path of paths) {
      const refused = await get(path, {})
      assertError(refused, 'UnauthorizedError')
      assert.match(refused.headers.get('www-authenticate') ?? '', /, Basic realm="Muster"$/)
    }
    for (const path of ['/servers', '/v3/users', '/events', '/metrics']) {
      const refused = await get(path, {
        ...basic(key.id, key.secret),
        'x-forwarded-for': '10.0.0.1',
      })
      assertError(refused, 'UnauthorizedError')
      assert.doesNotMatch(refused.headers.get('www-authenticate') ?? '', /Basic/)
    }
  })

  test('accept the secret only over TLS or from this machine, and say nothing about it otherwise', async () => {
    const remote = { 'x-forwarded-for': '198.51.100.7' }
    assert.equal((await get('/inventory/hosts', basic(key.id, key.secret))).status, 200)
    for (const secret of [key.secret, 'wrong']) {
      const answer = await get('/inventory/hosts', { ...remote, ...basic(key.id, secret) })
      const { fields } = assertError(answer, 'InputParameterError')
      assert.deepEqual(
        fields?.map(({ path }) => path),
        ['Authorization'],
      )
      assert.ok(!answer.text.includes(secret) || secret === 'wrong')
    }
    const secure = { ...remote, 'x-forwarded-proto': 'https', ...basic(key.id, key.secret) }
    assert.equal((await get('/inventory/hosts', secure)).status, 200)
  })

  test('take no signature by Basic: it is valid once', async () => {
    const signed = holders.present('own', key)
    const end = signed.indexOf(':')
    const header = basic(signed.slice(0, end), signed.slice(end + 1))
    assertError(await get('/inventory/hosts', header), 'UnauthorizedError')
  })

  test('count failures like other logins with keys, and record them', async () => {
    const wrong = { 'x-forwarded-for': '192.0.2.9', 'x-forwarded-proto': 'https' }
    const statuses = []
    for (let at = 0; at < 5; at += 1) {
      const answer = await get('/inventory/hosts', { ...wrong, ...basic(key.id, `wrong${at}`) })
      statuses.push(answer.status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 429, 429])
    const events = await fleet.platform.database.db
      .selectFrom('events')
      .selectAll()
      .where('ip', '=', '192.0.2.9')
      .execute()
    assert.equal(events.length, 3)
  })
})
