import { join } from 'node:path'
import { installPython } from '../python-environment.ts'

/** Installs moto with pip, unless it is installed, and returns the path of its Python. */
export const installMoto = (): string =>
  installPython('moto', join(import.meta.dirname, 'requirements.txt'))
