import { join } from 'node:path'
import { buildConsole } from './build-console.ts'

await buildConsole(join(import.meta.dirname, 'dist'))
