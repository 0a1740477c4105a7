import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { installPackages } from '../debian.ts'

describe('the systemd unit', () => {
  test('has only settings that systemd knows, and little exposure', (t) => {
    if (!existsSync('/usr/bin/systemd-analyze')) installPackages('systemd')
    const folder = mkdtempSync(join(tmpdir(), 'muster-unit-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const unit = readFileSync(resolve('deploy/systemd/muster.service'), 'utf8')
    const file = join(folder, 'muster.service')
    // The program must exist.
    writeFileSync(file, unit.replace('/usr/local/bin/muster', process.execPath))
    const analyze = (...args: string[]) =>
      spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
    const { status, stderr } = analyze('verify')
    assert.equal(stderr, '')
    assert.equal(status, 0)
    const security = analyze('security', '--offline=true', '--threshold=20')
    assert.equal(security.status, 0, security.stdout)
  })
})
