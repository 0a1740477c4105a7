import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'

/** The only dependency with native code. It is not bundled: npm chooses the binary of each system. */
export const native = '@node-rs/argon2'

/** Copies the native dependency, with the binaries that are installed here. Returns the copied packages. */
export function copyNative(repository: string, folder: string): string[] {
  const packages = globSync(`node_modules/${native}{,-*}`, { cwd: repository }).sort()
  for (const name of packages) {
    cpSync(join(repository, name), join(folder, name), { recursive: true })
  }
  return packages
}
