import { join } from 'node:path'
import { installPython } from '../python-environment.ts'

/** Installs the CAS server with pip, unless it is installed, and returns the path of its Python. */
export const installCas = (): string =>
  installPython('cas', join(import.meta.dirname, 'requirements.txt'))
