// Exits with 0 if Muster is alive. The image has no curl. Muster serves either HTTP or HTTPS here.
const port = process.env['MUSTER_PORT'] ?? '8400'
// The certificate is for the public name, and the request does not leave the container.
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'

const isAlive = (/** @type {string} */ scheme) =>
  fetch(`${scheme}://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

process.exitCode = (await isAlive('http')) || (await isAlive('https')) ? 0 : 1
