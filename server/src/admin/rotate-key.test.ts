import assert from 'node:assert/strict'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Config } from '../config/read-config.ts'
import {
  demoPasswordsContext,
  readDemoPasswords,
  storeDemoPasswords,
} from '../storage/demo-passwords.ts'
import { findKeyFingerprints, storeKeyFingerprint } from '../storage/key-fingerprint.ts'
import { onBothEngines } from '../testing/engines.ts'
import { openStorage } from '../testing/open-storage.ts'
import { readKeyFile } from '../vault/key-file.ts'
import { loadSecretKey } from '../vault/secret-key.ts'
import { createRotateKey } from './rotate-key.ts'

onBothEngines('a rotation of the secret key', (engine) => {
  test('can be repeated after a failed announcement, and waits for requests with the old key', async (t) => {
    const { database, location, close } = await openStorage(engine)
    t.after(close)
    const { db } = database
    const file = join(location.folder, 'secret.key')
    const key = loadSecretKey(file)
    await storeKeyFingerprint(database, key.fingerprint)
    let isBroken = false
    const commit: typeof database.commit = async (statements) => {
      if (isBroken) throw new Error('the database is away')
      return await database.commit(statements)
    }
    /** A slow request commits what it encrypted with the old key before. */
    const encryptedBefore = key.encrypt('{"late":"request"}', demoPasswordsContext)
    const waits: number[] = []
    const command = createRotateKey(async (milliseconds) => {
      waits.push(milliseconds)
      await database.commit([storeDemoPasswords(db, encryptedBefore)])
    })
    const run = async (step: string) =>
      await command.execute?.(step, {
        config: { secretKeyFile: file } as Config,
        database: { ...database, commit },
        key,
        clock: Date.now,
        print() {},
        progress() {},
      })
    const countListed = async () => (await findKeyFingerprints(db))?.split(' ').length

    // SQLite announces with the first step.
    if (engine === 'postgres') await run('begin')
    const announcing = engine === 'postgres' ? 'activate' : 'begin'
    isBroken = true
    await assert.rejects(run(announcing), /the database is away/)
    isBroken = false
    utimesSync(file, 0, 0)
    assert.equal(await countListed(), 1)
    assert.equal(readKeyFile(file).length, 2)
    await run('activate')
    assert.equal(await countListed(), 2)
    await assert.rejects(run('activate'), /has no new key that could be activated/)

    await run('finish')
    assert.equal(await countListed(), 1)
    assert.equal(readKeyFile(file).length, 1)
    assert.equal(waits.length, engine === 'postgres' ? 2 : 1)
    // Longer than a commit with all its attempts; the file was old, but not the announcement.
    for (const wait of waits) assert.ok(wait > 20_000 && wait <= 30_000, `${wait}`)
    assert.deepEqual(await readDemoPasswords(db, loadSecretKey(file)), { late: 'request' })
  })
})
