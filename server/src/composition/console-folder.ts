import { fileURLToPath } from 'node:url'

/** The folder of the built console. */
export const consoleFolder = fileURLToPath(new URL('../../../console/dist', import.meta.url))
