import assert from 'node:assert/strict'
import { createDecipheriv } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
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
import { sampleInputs } from '../testing/lanes.ts'
import { isExposed, newKeyLine, secretKeyExists, writeKeyFile, type KeyLine } from './key-file.ts'
import { loadSecretKey, type SecretKey } from './secret-key.ts'

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
    // A permissive umask must not make it readable.
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
    const { fingerprint, pseudonym, demoPassword } = loadSecretKey(file)
    const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
    assert.ok(!Buffer.from(fingerprint, 'base64url').equals(key))
    assert.notEqual(pseudonym('alice'), pseudonym('bob'))
    assert.doesNotMatch(pseudonym('alice'), /alice/)
    // Keys derived for one purpose must not work for another.
    assert.notEqual(pseudonym(''), fingerprint)
    // Pseudonyms of names that anybody can make up are in the database: no password is among them.
    assert.ok(!pseudonym('demo-owner').startsWith(demoPassword('demo-owner')))
  })

  test('is refused when others can read it', () => {
    const text = `${Buffer.alloc(32, 7).toString('base64')}\n`
    for (const mode of [0o640, 0o604, 0o660, 0o644, 0o620]) {
      const file = write(`open-${mode.toString(8)}.key`, text, mode)
      assert.throws(() => loadSecretKey(file), /(?:readable by|accessible to) other users/)
    }
    assert.ok(loadSecretKey(write('closed.key', text)))
  })

  test('of root is readable by its group, as in a secret of Kubernetes, and by nobody else', () => {
    const own = 10_001
    assert.equal(isExposed({ uid: 0, mode: 0o100440 }, own), false)
    assert.equal(isExposed({ uid: 0, mode: 0o100640 }, own), false)
    for (const mode of [0o660, 0o450, 0o444, 0o442]) {
      assert.equal(isExposed({ uid: 0, mode }, own), true)
    }
    assert.equal(isExposed({ uid: own, mode: 0o440 }, own), true)
    assert.equal(isExposed({ uid: 0, mode: 0o440 }, 0), true)
  })

  test('that cannot be created or written is named with its setting, and leaves no draft', () => {
    const parent = write('file', '')
    const missing = join(parent, 'secret.key')
    const refused = /^Error: --secret-key-file: cannot create .*secret\.key \(E\w+\): its directory/
    assert.throws(() => loadSecretKey(missing), refused)
    // A directory cannot be replaced by a file.
    const directory = join(folder, 'directory')
    mkdirSync(directory)
    assert.throws(() => writeKeyFile(directory, [newKeyLine()]), /cannot write .*directory \(E/)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('directory.')),
      [],
    )
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

describe('an encrypted text', () => {
  let folder: string
  let key: SecretKey
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-seal-'))
    key = loadSecretKey(join(folder, 'secret.key'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const secret = 'msk_a-secret-that-nobody-should-read'
  const context = 'access_keys/one'

  test('opens for the same key, also at a later start', () => {
    for (const text of [secret, '', 'ключ \u{1F511}\0', 'x'.repeat(100_000)]) {
      const encrypted = key.encrypt(text, context)
      assert.equal(key.decrypt(encrypted, context), text)
      assert.equal(loadSecretKey(join(folder, 'secret.key')).decrypt(encrypted, context), text)
    }
  })

  test('SEC-36: shows nothing of what is in it but the length', () => {
    const encrypted = key.encrypt(secret, context)
    assert.match(encrypted, /^v1\.[A-Za-z0-9_-]+$/)
    const bytes = Buffer.from(encrypted.slice(3), 'base64url')
    assert.equal(bytes.length, 12 + secret.length + 16)
    for (const hidden of [secret, context]) {
      assert.ok(!encrypted.includes(hidden))
      assert.ok(!bytes.includes(hidden))
    }
  })

  test('SEC-36: is another each time', () => {
    const encrypted = Array.from({ length: 1_000 }, () => key.encrypt(secret, context))
    assert.equal(new Set(encrypted).size, encrypted.length)
    const nonces = encrypted.map((text) =>
      Buffer.from(text.slice(3), 'base64url').toString('hex', 0, 12),
    )
    assert.equal(new Set(nonces).size, nonces.length)
  })

  test('SEC-36: does not open in another place, or for another key', () => {
    const encrypted = key.encrypt(secret, context)
    for (const other of ['', 'access_keys/two', `${context} `, context.toUpperCase()]) {
      assert.throws(() => key.decrypt(encrypted, other), /does not decrypt/)
    }
    const otherKey = loadSecretKey(join(folder, 'other.key'))
    assert.throws(() => otherKey.decrypt(encrypted, context), /does not decrypt/)
  })

  test('SEC-36: does not open once a character of it is changed, added or lost', () => {
    const encrypted = key.encrypt(secret, context)
    for (let place = 0; place < encrypted.length; place += 1) {
      const [before, after] = [encrypted.slice(0, place), encrypted.slice(place + 1)]
      const characters = sampleInputs([...'AB-_.=+/ \n'], place)
      const others = characters.filter((character) => character !== encrypted[place])
      const altered = [
        ...others.map((character) => before + character + after),
        ...others.map((character) => before + character + encrypted.slice(place)),
        before + after,
        before,
      ]
      for (const text of altered) {
        assert.throws(() => key.decrypt(text, context), /does not decrypt/, text)
      }
    }
    assert.throws(() => key.decrypt(`${encrypted}A`, context), /does not decrypt/)
    assert.throws(() => key.decrypt(secret, context), /does not decrypt/)
  })

  test('is encrypted with neither the key in the file nor what other purposes derive from it', () => {
    const encrypted = Buffer.from(key.encrypt(secret, context).slice(3), 'base64url')
    const fileKey = Buffer.from(readFileSync(join(folder, 'secret.key'), 'utf8'), 'base64')
    for (const other of [fileKey, Buffer.from(key.fingerprint, 'base64url')]) {
      const opening = createDecipheriv('aes-256-gcm', other, encrypted.subarray(0, 12))
      opening.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(-16))
      opening.update(encrypted.subarray(12, -16))
      assert.throws(() => opening.final())
    }
  })
})

describe('a key file with several keys', () => {
  let folder: string
  let file: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-keys-'))
    file = join(folder, 'secret.key')
  })
  after(() => rmSync(folder, { recursive: true }))

  const [first, second, third] = [newKeyLine(), newKeyLine(), newKeyLine()]
  const loadAlone = (line: KeyLine) => {
    const alone = join(folder, 'alone.key')
    writeFileSync(alone, `${line.text}\n`, { mode: 0o600 })
    return loadSecretKey(alone)
  }
  const encryptWith = (line: KeyLine) => loadAlone(line).encrypt('text', 'context')

  test('encrypts with the first key and decrypts with all, while the file changes', () => {
    writeFileSync(file, `${first.text}\n`, { mode: 0o600 })
    const key = loadSecretKey(file)
    const { fingerprint } = key
    const old = key.encrypt('text', 'context')
    writeKeyFile(file, [first, { ...second, isNext: true }])
    assert.equal(key.decrypt(encryptWith(second), 'context'), 'text', 'of a node that is ahead')
    assert.ok(loadSecretKey(file).isCurrent(key.encrypt('text', 'context'), 'context'))
    assert.equal(loadSecretKey(file).pseudonym('nobody'), key.pseudonym('nobody'))

    writeKeyFile(file, [second, first])
    const fresh = key.encrypt('text', 'context')
    assert.ok(key.isCurrent(fresh, 'context') && !key.isCurrent(old, 'context'))
    assert.equal(key.decrypt(old, 'context'), 'text')
    assert.equal(loadSecretKey(file).fingerprint, fingerprint)
    assert.ok(loadSecretKey(file).hasFingerprints(key.currentFingerprint()))

    writeKeyFile(file, [second])
    assert.ok(key.isCurrent(key.encrypt('text', 'context'), 'context'))
    assert.equal(key.decrypt(old, 'context'), 'text', 'a running process remembers it')
    assert.throws(() => loadSecretKey(file).decrypt(old, 'context'), /does not decrypt/)
    assert.equal(modeOfFile(file), 0o600)
  })

  test('is not used by a running process if it has none of its keys, or cannot be read', () => {
    writeKeyFile(file, [first])
    const key = loadSecretKey(file)
    writeKeyFile(file, [third])
    assert.throws(() => loadSecretKey(file).decrypt(key.encrypt('text', 'context'), 'context'))
    rmSync(file)
    const encrypted = key.encrypt('text', 'context')
    assert.equal(key.decrypt(encrypted, 'context'), 'text')
    assert.equal(secretKeyExists(file), false, 'a new key would look as if all were well')
  })

  const fingerprintOf = (line: KeyLine) => loadAlone(line).fingerprint
  const next = (line: KeyLine) => ({ ...line, isNext: true })
  /** What a process with the first key does when the file and the list in the database change. */
  const changes: readonly {
    readonly lines: readonly KeyLine[]
    readonly listed: readonly KeyLine[]
    /** The key that encrypts; undefined if a key is missing. */
    readonly encrypts: KeyLine | undefined
    readonly isProblem?: boolean
  }[] = [
    { lines: [first], listed: [first], encrypts: first },
    { lines: [first, next(second)], listed: [first], encrypts: first },
    { lines: [second, first], listed: [first], encrypts: first },
    { lines: [second, first], listed: [first, second], encrypts: second },
    { lines: [first, next(second)], listed: [first, second], encrypts: first },
    { lines: [first], listed: [first, second], encrypts: first, isProblem: true },
    { lines: [second, first], listed: [second], encrypts: second },
    { lines: [first, next(second)], listed: [second], encrypts: second },
    { lines: [second], listed: [second], encrypts: second },
    { lines: [first], listed: [second], encrypts: undefined, isProblem: true },
    { lines: [third], listed: [second], encrypts: undefined, isProblem: true },
    { lines: [third], listed: [first], encrypts: first },
  ]
  test('is used as the list in the database says, also if the process knew none of its keys', () => {
    for (const { lines, listed, encrypts, isProblem = false } of changes) {
      writeFileSync(file, `${first.text}\n`, { mode: 0o600 })
      const key = loadSecretKey(file)
      key.follow(() => listed.map(fingerprintOf).join(' '))
      writeKeyFile(file, lines)
      assert.equal(key.problem() !== undefined, isProblem)
      if (isProblem) assert.throws(key.requireKeys, { status: 503 })
      else key.requireKeys()
      if (encrypts) {
        const oldest = loadAlone(listed[0] as KeyLine)
        assert.equal(key.pseudonym('nobody'), oldest.pseudonym('nobody'))
        const encrypted = key.encrypt('text', 'context')
        assert.equal(loadAlone(encrypts).decrypt(encrypted, 'context'), 'text')
      } else {
        const missing = { status: 503, message: /^This node lacks a secret key [^/]*$/ }
        assert.throws(() => key.encrypt('text', 'context'), missing)
        assert.throws(() => key.decrypt(encryptWith(second), 'context'), missing)
      }
      // The file arrives later.
      writeKeyFile(file, [second])
      assert.equal(key.decrypt(encryptWith(second), 'context'), 'text')
      key.follow(
        () => fingerprintOf(second),
        () => false,
      )
      assert.throws(() => key.encrypt('text', 'context'), { status: 503 })
      assert.equal(key.decrypt(encryptWith(second), 'context'), 'text')
      key.follow(() => fingerprintOf(second))
      assert.equal(key.problem(), undefined)
      assert.throws(() => key.decrypt(encryptWith(third), 'context'), /does not decrypt/)
    }
  })

  test('is refused with a line that is no key', () => {
    for (const line of ['short', `${second.text} other`]) {
      writeFileSync(file, `${first.text}\n${line}\n`, { mode: 0o600 })
      assert.throws(() => loadSecretKey(file), /32 bytes in base64 on each line/)
    }
  })
})

const modeOfFile = (path: string) => statSync(path).mode & 0o777
