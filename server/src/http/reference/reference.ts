import fastify from 'fastify'

/** Scalar adds its styles while it runs, so they cannot be listed here by hash. */
const contentSecurityPolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'unsafe-inline'`,
  `connect-src 'self'`,
  `img-src 'self' data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Muster API reference</title>
  </head>
  <body>
    <noscript>This page needs JavaScript. The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <main id="reference"></main>
    <script src="/docs/reference.js"></script>
  </body>
</html>
`

/** Turns off every request to Scalar's own services, and keeps the token in memory only. */
const options = {
  authentication: { preferredSecurityScheme: 'token' },
  persistAuth: false,
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'none',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

/**
 * "Try it" calls the origin of the page: its policy allows no other. Without `x-disabled`, Scalar
 * would send the first allowed value of every optional parameter.
 */
const startScript = `;(async () => {
  const openApi = await fetch('/openapi.json').then((response) => response.json())
  for (const path of Object.values(openApi.paths)) {
    for (const { parameters } of Object.values(path)) {
      for (const parameter of parameters) {
        if (!parameter.required) parameter.examples = { none: { 'x-disabled': true } }
      }
    }
  }
  Scalar.createApiReference('#reference', {
    ...${JSON.stringify(options)},
    content: openApi,
    servers: [{ url: location.origin }],
  })
})()
`

/**
 * Scalar publishes its page as one script, which this plugin contains. Its own package of that
 * script installs ten times as much.
 */
async function readScalar(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } })
  const { payload } = await app.inject('/js/scalar.js')
  await app.close()
  return payload
}

/**
 * The page at `/docs`, and the script it loads. It is Scalar's, which has search and "try it". The
 * package `@scalar/api-reference` has the same page, but installs 184 packages and 287 MB instead of 20
 * and 10 MB. Redoc has no "try it" in its free edition, and RapiDoc had no release for two years. Scalar
 * adds styles while it runs, so this page alone allows inline styles.
 */
export const reference = {
  page: Buffer.from(page),
  contentSecurityPolicy,
  readScript: async () => Buffer.from(`${await readScalar()}\n${startScript}`),
}
