import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { loadSecretKey, secretKeyExists } from './secret-key.ts'

describe('the secret key', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-key-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const modeOf = (path: string) => statSync(path).mode & 0o777

  /** A key file as an operator might have left it. */
  function write(name: string, text: string, mode = 0o600): string {
    const file = join(folder, name)
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }

  test("is made where there is none, for the owner's eyes only", () => {
    const file = join(folder, 'new', 'secret.key')
    assert.equal(secretKeyExists(file), false)
    // A generous mask must not open it.
    const mask = process.umask(0)
    loadSecretKey(file)
    process.umask(mask)
    assert.equal(secretKeyExists(file), true)
    assert.equal(modeOf(file), 0o600)
    assert.equal(modeOf(dirname(file)), 0o700)
    assert.equal(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64').length, 32)
  })

  test('is the same at every start, and another in every file', () => {
    const file = join(folder, 'one.key')
    const made = loadSecretKey(file)
    const text = readFileSync(file, 'utf8')
    const again = loadSecretKey(file)
    assert.equal(readFileSync(file, 'utf8'), text)
    assert.equal(again.fingerprint, made.fingerprint)
    assert.equal(again.pseudonym('alice'), made.pseudonym('alice'))

    const other = loadSecretKey(join(folder, 'other.key'))
    assert.notEqual(other.fingerprint, made.fingerprint)
    assert.notEqual(other.pseudonym('alice'), made.pseudonym('alice'))
  })

  test('is one for all that start together where there is none', async () => {
    const place = join(folder, 'together')
    const file = join(place, 'secret.key')
    const script = `
      const { parentPort, workerData } = require('node:worker_threads')
      import(workerData.module).then(({ loadSecretKey }) => {
        Atomics.add(workerData.ready, 0, 1)
        while (Atomics.load(workerData.ready, 0) < workerData.count);
        parentPort.postMessage(loadSecretKey(workerData.file).fingerprint)
      })`
    const count = 4
    const module = import.meta.resolve('./secret-key.ts')
    const ready = new Int32Array(new SharedArrayBuffer(4))
    const fingerprints = await Promise.all(
      Array.from({ length: count }, async () => {
        const worker = new Worker(script, {
          eval: true,
          workerData: { module, file, ready, count },
        })
        const [fingerprint] = (await once(worker, 'message')) as [string]
        return fingerprint
      }),
    )
    assert.deepEqual([...new Set(fingerprints)], [loadSecretKey(file).fingerprint])
    assert.deepEqual(readdirSync(place), ['secret.key'])
  })

  test('shows neither itself in its fingerprint nor a name in its pseudonym', () => {
    const file = join(folder, 'shown.key')
    const { fingerprint, pseudonym } = loadSecretKey(file)
    const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
    assert.ok(!Buffer.from(fingerprint, 'base64url').equals(key))
    assert.notEqual(pseudonym('alice'), pseudonym('bob'))
    assert.doesNotMatch(pseudonym('alice'), /alice/)
    // One purpose must not stand in for another.
    assert.notEqual(pseudonym(''), fingerprint)
  })

  test('is refused when others can read it', () => {
    const text = `${Buffer.alloc(32, 7).toString('base64')}\n`
    for (const mode of [0o640, 0o604, 0o660, 0o644, 0o620]) {
      const file = write(`open-${mode.toString(8)}.key`, text, mode)
      assert.throws(() => loadSecretKey(file), /open to others/)
    }
    assert.ok(loadSecretKey(write('closed.key', text)))
  })

  test('is refused when it is not 32 bytes, and left as it is', () => {
    const bad = ['', '\n', 'c2hvcnQ=', Buffer.alloc(31).toString('base64')]
    for (const [index, text] of [...bad, Buffer.alloc(33).toString('base64')].entries()) {
      const file = write(`bad-${index}.key`, text)
      assert.throws(() => loadSecretKey(file), /32 bytes/)
      assert.equal(readFileSync(file, 'utf8'), text)
    }
  })
})
