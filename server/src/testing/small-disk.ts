import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, type Lifetime } from './spawn-muster.ts'

/** A file system of some MiB. Needs root, and fails without. */
export function mountSmallDisk(lifetime: Lifetime, size: number, mode = '0700'): string {
  const folder = temporaryFolder(lifetime)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=${mode}`, 'muster-test', folder])
  lifetime.after(() => execFileSync('umount', ['--lazy', folder]))
  return folder
}

/** Takes all free space. The last bytes go singly, because a write of more than fits fails as a whole. */
export function fillDisk(folder: string): { free(): void } {
  const file = join(folder, 'filler')
  for (const size of [65_536, 4_096, 512]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a', mode: 0o600 })
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'ENOSPC')
    }
  }
  return { free: () => rmSync(file) }
}
