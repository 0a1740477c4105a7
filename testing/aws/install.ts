import { join } from 'node:path'
import { installPython } from '../python-environment.ts'

/** Installs moto with pip, unless it is there already, and returns the Python that knows it. */
export const installMoto = (): string =>
  installPython('moto', join(import.meta.dirname, 'requirements.txt'))
