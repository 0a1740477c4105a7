import { join } from 'node:path'
import { installPython } from '../python-environment.ts'

/** Installs the CAS server with pip, unless it is there already, and returns the Python that knows it. */
export const installCas = (): string =>
  installPython('cas', join(import.meta.dirname, 'requirements.txt'))
