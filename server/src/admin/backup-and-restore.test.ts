import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { ConfigError } from '../config/parsers.ts'
import { createInsertEvent } from '../storage/event-store.ts'
import { createTestDatabase } from '../testing/engines.ts'
import { makeEvent } from '../testing/identity-world/identity-records.ts'
import { runAdminCommand, type Installation } from '../testing/run-admin-command.ts'
import { startPlatform } from '../testing/start-platform.ts'

describe('muster admin backup and restore', () => {
  const root = mkdtempSync(join(tmpdir(), 'muster-backup-'))
  const file = join(root, 'muster.backup')
  const from: Installation = { folder: join(root, 'from'), databaseUrl: undefined }
  let told = ''
  before(async () => {
    mkdirSync(from.folder)
    const platform = await startPlatform({ engine: 'sqlite', beside: from })
    const { db, commit } = platform.database
    // Cannot be compressed, so that the size is not near zero.
    const target_name = randomBytes(40_000).toString('base64')
    await commit([createInsertEvent(db)(makeEvent({ target_name }))])
    await platform.close()
    told = (await runAdminCommand(from, 'backup', file)).stdout
  })
  after(() => rmSync(root, { recursive: true }))

  /** A new place for data, with the secret key of the backup unless it is given. */
  function createPlace(name: string, key?: string | null, databaseUrl?: string): Installation {
    const folder = join(root, name)
    mkdirSync(folder, { mode: 0o700 })
    const path = join(folder, 'secret.key')
    if (key === undefined) copyFileSync(join(from.folder, 'secret.key'), path)
    else if (key !== null) writeFileSync(path, key, { mode: 0o600 })
    return { folder, databaseUrl }
  }
  const databaseOf = ({ folder }: Installation) => join(folder, 'data', 'muster.db')

  test('tell the rows, the size and the secret key, and refuse an existing file', async () => {
    const [, rows, size] = /^\S+: ([\d,]+) rows, ([\d.]+) MiB, \d+\.\d s\.$/m.exec(told) ?? []
    const lines = zstdDecompressSync(readFileSync(file)).toString().split('\n')
    assert.equal(Number(rows?.replaceAll(',', '')), lines.filter((line) => line[0] === '[').length)
    assert.equal(size, (statSync(file).size / 1_048_576).toFixed(2))
    assert.ok(told.includes(join(from.folder, 'secret.key')))
    await assert.rejects(runAdminCommand(from, 'backup', file), /exists already/)
    await assert.rejects(runAdminCommand(from, 'backup'), /FILE is missing/)
    await assert.rejects(runAdminCommand(from, 'restore'), /FILE is missing/)
    await assert.rejects(runAdminCommand(from, 'backup', `${file}.2`, 'more'), ConfigError)
    await assert.rejects(runAdminCommand(from, 'restore', file, 'more', '--check'), ConfigError)
  })

  test('verify a file without changing anything', async () => {
    const place = createPlace('checked', null)
    const { status, stdout } = await runAdminCommand(place, 'restore', file, '--check')
    assert.equal(status, 0)
    assert.match(stdout, /backup of 20\S+ by Muster \S+, [\d,]+ rows\. The file is complete\./)
    assert.ok(!existsSync(databaseOf(place)))
    const newer = join(root, 'newer.backup')
    const lines = zstdDecompressSync(readFileSync(file)).toString()
    const text = lines.replace(/"schema":"[^"]+"/, '"schema":"0999-later"')
    writeFileSync(newer, zstdCompressSync(text))
    await assert.rejects(runAdminCommand(place, 'restore', newer, '--check'), /newer version/)
  })

  test('need the secret key of the backup', async () => {
    const keys = {
      missing: [null, /secret\.key does not exist\. Copy the secret key/],
      wrong: [Buffer.alloc(32, 7).toString('base64'), /is not the secret key that belongs/],
    } as const
    for (const [name, [key, reason]] of Object.entries(keys)) {
      const place = createPlace(name, key)
      await assert.rejects(runAdminCommand(place, 'restore', file), reason)
      assert.ok(!existsSync(databaseOf(place)))
    }
  })

  test('replace data only on request, and keep it beside', async () => {
    const place = createPlace('restored')
    const first = await runAdminCommand(place, 'restore', file)
    assert.equal(first.status, 0)
    assert.match(first.stdout, /^Restored\. /m)
    assert.doesNotMatch(first.stdout, /The data from before/)
    await assert.rejects(runAdminCommand(place, 'restore', file), /add --replace/)
    const { stdout } = await runAdminCommand(place, 'restore', file, '--replace')
    const replaced = /The data from before is in (\S+)\. /.exec(stdout)?.[1] ?? ''
    assert.ok(existsSync(replaced) && existsSync(databaseOf(place)))
  })

  test('do not restore into the directory of another user', async (t) => {
    if (process.getuid?.() !== 0) return t.diagnostic('not tested: only root can change the owner')
    const place = createPlace('of another user')
    mkdirSync(join(place.folder, 'data'), { mode: 0o700 })
    chownSync(join(place.folder, 'data'), 12_345, 12_345)
    await assert.rejects(runAdminCommand(place, 'restore', file), /belongs to another user/)
  })

  test('restore into PostgreSQL', async () => {
    const place = createPlace('postgres', undefined, await createTestDatabase())
    assert.equal((await runAdminCommand(place, 'restore', file)).status, 0)
    assert.ok(!existsSync(databaseOf(place)))
    await assert.rejects(runAdminCommand(place, 'restore', file), /add --replace/)
  })
})
