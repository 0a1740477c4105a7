import { join } from 'node:path'
import { installNode } from '../node-packages.ts'
import { installPython } from '../python-environment.ts'

/** Installs openapi-python-client with pip, once, and returns the path of its Python. */
export const installPythonGenerator = (): string =>
  installPython('openapi-python-client', join(import.meta.dirname, 'requirements.txt'))

/**
 * Installs openapi-typescript with npm, once, and returns its folder. It is no dependency of the
 * repository, because it needs an older TypeScript.
 */
export const installTypeScriptGenerator = (): string =>
  installNode('openapi-typescript', import.meta.dirname)
