import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type {
  CloudAccount,
  EventDto,
  IdentityProviderDto,
  Server,
  ServerChange,
  SessionDto,
  UserDto,
} from '@muster/contract'
import { createAccountStore } from '../../server/src/storage/sources/account-store.ts'
import { createSightingStore } from '../../server/src/storage/sources/sighting-store.ts'
import { ask, loginAdmin, requestToken } from '../../server/src/testing/client.ts'
import { renderingVersion } from '../../server/src/domain/inventory/render-server.ts'
import { pollForValue } from '../../server/src/testing/identity-world/open-identity-api.ts'
import { onPostgresFirst, onSqliteFirst } from '../../server/src/testing/lanes.ts'
import { runAdminCommand, type Installation } from '../../server/src/testing/run-admin-command.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startFakeCas } from '../../server/src/testing/fake-cas.ts'
import { startPlatform, type TestPlatform } from '../../server/src/testing/start-platform.ts'
import { loadSecretKey } from '../../server/src/vault/secret-key.ts'
import { readAnswers } from './answers.ts'
import { differencesBetween, isReport } from './differences.ts'
import { readRestored, restore } from './restore.ts'
import { guestAttributes, guestSubject, readState, stateFolder, veraPassword } from './state.ts'

/** Migrates it before the start, in two steps, as a careful operator would. */
async function migrateByCommand(place: Installation): Promise<void> {
  for (const _ of ['twice', 'because the first changes nothing']) {
    const dryRun = await runAdminCommand(place, 'migrate', '--dry-run')
    assert.match(dryRun.stdout, /has 6 migrations, the last one is 0006-sessions\.$/m)
    assert.match(dryRun.stdout, /^Pending: 0007-limits-per-user$/m)
  }
  await assert.rejects(runAdminCommand(place, 'reset-password'), /older version of Muster/)
  assert.match((await runAdminCommand(place, 'migrate')).stdout, /^Migrated in \d+ s\./m)
  assert.match((await runAdminCommand(place, 'migrate')).stdout, /^It is up to date\.$/m)
}

/** A sighting as migration 0025 left it. */
interface EarlierSighting {
  readonly account_id: string
  readonly server_id: string
  readonly digest: string
  readonly project_id: string
}

interface EventPage {
  readonly events: readonly EventDto[]
}

/** Events of new servers list fields that they do not have. */
const withoutEqual = (changes: EventDto['changes']) =>
  Object.fromEntries(Object.entries(changes).filter(([, [before, after]]) => before !== after))

for (const [at, name] of readdirSync(stateFolder).sort().entries()) {
  // By turns on each engine. The package has the oldest one on both.
  const onEngine = at % 2 === 0 ? onPostgresFirst : onSqliteFirst
  onEngine(`a database of ${name}`, (engine) => {
    const { data, state } = readState(name, engine)
    const lifetime = suiteLifetime()
    let platform: TestPlatform
    let earlierSightings: readonly EarlierSighting[] = []
    before(async () => {
      const place = await restore(engine, data, state.secretKey)
      if (name.startsWith('0025')) {
        earlierSightings = await readRestored(place, 'select * from sightings')
      }
      if (name.startsWith('0006')) await migrateByCommand(place)
      const past = Date.now() - state.takenAt
      platform = await startPlatform({
        beside: place,
        clock: () => Date.now() - past,
        flags: ['--source-allow=localhost'],
      })
      lifetime.after(async () => {
        await platform.close()
        rmSync(place.folder, { recursive: true })
      })
    })

    const send = async <Body>(path: string, body?: object, method = 'GET') => {
      const token = state.tokens.admin
      const answer = await ask<Body>(platform.url, path, { token, method, ...(body && { body }) })
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    /** The user and the scope of a login. */
    const logIn = async (identity: object) => {
      const { status, text, body } = await requestToken(platform.url, { identity })
      assert.equal(status, 201, text)
      return { user: body.token.user.Name, project: body.token.project.Name }
    }

    test('answers as it did, to tokens that were issued then', async () => {
      const answers = await readAnswers(platform.url, state.tokens)
      assert.deepEqual(differencesBetween(state.answers, answers), [])
    })

    if (name.startsWith('0025')) {
      test('keeps what each account sees, so that a scan finds the same servers unchanged', async () => {
        const store = createSightingStore(platform.database)
        const byAccount = Map.groupBy(earlierSightings, ({ account_id }) => account_id)
        assert.ok(byAccount.size > 1)
        for (const [accountId, earlier] of byAccount) {
          const known = await store.of(accountId)
          assert.equal(known.size, earlier.length)
          for (const { server_id, digest, project_id } of earlier) {
            const sighting = known.get(server_id)
            assert.deepEqual([sighting?.digest, sighting?.projectId], [digest, project_id])
          }
        }
      })
    }

    const earlier = state.answers['admin /events?limit=2048'] as EventPage | undefined
    const reports = earlier?.events.filter(isReport) ?? []
    if (reports.length > 0) {
      test('makes changes of what sources reported, of which only differences are known', async () => {
        const oldest = reports.at(-1)
        assert.ok(oldest)
        const { changes } = await send<{ changes: ServerChange[] }>(
          '/servers/changes?scope=system&limit=2048',
        )
        const told = Map.groupBy(changes, (change) => change.server_id)
        for (const event of reports) {
          const change = told
            .get(event.target_id)
            ?.find(({ time }) => Math.abs(Date.parse(time) - Date.parse(event.time)) < 5)
          assert.ok(change, JSON.stringify(event))
          assert.equal(change.is_partial, true)
          assert.equal(`account ${change.account}`, event.user)
          assert.deepEqual(change.changes, withoutEqual(event.changes))
          const asked = `/events?target_type=server&target_id=${event.target_id}&limit=2048`
          const { events } = await send<EventPage>(asked)
          assert.ok(events.some(({ changes: shown }) => isDeepStrictEqual(shown, change.changes)))
        }
        // A client that had read up to this event goes on after it.
        const rest = await send<EventPage>(`/events?limit=2048&order=asc&marker=${oldest.id}`)
        assert.ok(rest.events.length > 0)
        assert.ok(rest.events.every(({ time }) => time >= oldest.time))
        const { status, text } = await ask(platform.url, `/servers?as_of=${oldest.time}`, {
          token: state.tokens.admin,
        })
        assert.equal(status, 400, text)
        assert.match(text, /as_of.*[Oo]nly differences are known/)
      })
    }

    test('stores all servers as this version renders them, and answers as before', async () => {
      const { db } = platform.database
      const outdated = db
        .selectFrom('server_documents')
        .select('id')
        .where('rendering', '<>', renderingVersion)
      const none = await pollForValue(
        () => outdated.execute(),
        ({ length }) => length === 0,
      )
      assert.deepEqual(none, [])
      const answers = await readAnswers(platform.url, state.tokens)
      assert.deepEqual(differencesBetween(state.answers, answers), [])
      const { status, stdout } = await runAdminCommand(platform, 'check')
      assert.equal(status, 0, stdout)
    })

    test('lets people in by password, access key and CAS, as the users they were', async () => {
      await loginAdmin(platform.url)
      const user = { name: 'vera', domain: { name: 'Observatory' }, password: veraPassword }
      const vera = { user: 'vera', project: 'spectra' }
      assert.deepEqual(await logIn({ methods: ['password'], password: { user } }), vera)
      const { id, secret } = state.accessKey
      const access_key_secret = `${id}:${secret}`
      assert.deepEqual(await logIn({ methods: ['aksk'], access_key_secret }), vera)

      const cas = await startFakeCas(lifetime)
      const providers = '/v3/identity_providers'
      const {
        identity_providers: [provider],
      } = await send<{
        identity_providers: IdentityProviderDto[]
      }>(providers)
      const moved = { identity_provider: { url: cas.base } }
      await send(`${providers}/${provider?.id}`, moved, 'PUT')
      const ticket = { id: cas.ticketFor(guestSubject, guestAttributes) }
      const guest = await logIn({ methods: ['cas'], cas_ticket: ticket })
      assert.equal(guest.user, guestSubject)
      const { users } = await send<{ users: UserDto[] }>('/v3/users')
      const { users: known } = state.answers['admin /v3/users'] as { users: UserDto[] }
      assert.equal(users.length, known.length)
    })

    const { cookie } = state
    if (cookie !== undefined) {
      test('keeps browser sessions', async () => {
        const path = '/api/session'
        const { status, body } = await ask<{ session: SessionDto }>(platform.url, path, {
          headers: { cookie },
        })
        assert.equal(status, 200)
        assert.deepEqual([body.session.user.name, body.session.scope.name], ['vera', 'spectra'])
      })
    }

    const listed = state.answers['admin /cloudaccounts?limit=2048&order_by=name&order=asc']
    if (listed !== undefined) {
      test('keeps credentials of accounts, and syncs without making servers twice', async () => {
        await checkAccounts((listed as { cloudaccounts: CloudAccount[] }).cloudaccounts)
      })
    }

    async function checkAccounts(cloudaccounts: readonly CloudAccount[]): Promise<void> {
      const accounts = createAccountStore(
        platform.database,
        loadSecretKey(join(platform.folder, 'secret.key')),
      )
      for (const { id, name } of cloudaccounts) {
        assert.deepEqual(await accounts.credentialsOf(id), state.credentials[name] ?? {})
      }
      const account = cloudaccounts.find(({ name }) => name === 'made-up')
      assert.ok(account)
      const path = `/cloudaccounts/${account.id}`
      const idsOf = async () => {
        const query = `scope=system&limit=2048&pending_delete=all&account_id=${account.id}`
        const { servers } = await send<{ servers: Server[] }>(`/servers?${query}`)
        return servers.map(({ id }) => id).sort()
      }
      const before = await idsOf()
      await send(path, { cloudaccount: { enabled: true } }, 'PUT')
      await send(`${path}/sync`, undefined, 'POST')
      const { sync } = await eventually('synced', async () => {
        const { cloudaccount } = await send<{ cloudaccount: CloudAccount }>(path)
        const { state: now, finished_at } = cloudaccount.sync
        return now === 'idle' && finished_at !== account.sync.finished_at && cloudaccount
      })
      assert.deepEqual([sync.error, sync.created, sync.gone], ['', 0, 0])
      assert.deepEqual(await idsOf(), before)
    }
  })
}
