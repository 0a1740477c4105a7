import type { Plugin } from 'rolldown'
import { routes } from './src/contract.ts'

const replaced = '/sdk/src/contract.ts'

/**
 * Evaluates the routes of the SDK when it is bundled. The bundle then contains neither the schemas of the contract
 * nor the library that they are made with.
 */
export const inlineRoutes = (): Plugin => ({
  name: 'inline-routes',
  load: (id) =>
    id.endsWith(replaced) ? `export const routes = ${JSON.stringify(routes)}` : undefined,
})
