import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Load, LoadRequest } from './load-types.ts'

/** The Lua script of wrk. */
export function writeWrkScript(folder: string, load: Load): string {
  const script = join(folder, 'request.lua')
  // For these plain texts, JSON quoting is also valid Lua.
  const headers = Object.entries(load.headers ?? {}).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  )
  writeFileSync(
    script,
    [
      `wrk.method = ${JSON.stringify(load.method ?? 'GET')}`,
      ...(load.body === undefined ? [] : [`wrk.body = ${JSON.stringify(load.body)}`]),
      ...headers,
      ...(load.bodies ? sendBodies(folder, load, load.bodies) : []),
      ...(load.requests ? sendRequests(folder, load, load.requests) : []),
    ].join('\n'),
  )
  return script
}

function writeHead(load: Load, path: string, headers: Readonly<Record<string, string>>): string {
  const { host } = new URL(load.url)
  const lines = Object.entries({ host, ...load.headers, ...headers })
  return [
    `${load.method ?? 'GET'} ${path} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')
}

/** Writes complete requests into a file, which wrk reads one by one. */
function sendBodies(folder: string, load: Load, bodies: readonly string[]): string[] {
  const length = Buffer.byteLength(bodies[0] ?? '')
  const head = writeHead(load, new URL(load.url).pathname, { 'content-length': String(length) })
  const file = join(folder, 'requests')
  const handle = openSync(file, 'w')
  for (const body of bodies) writeSync(handle, head + body)
  closeSync(handle)
  return [
    `local requests = assert(io.open(${JSON.stringify(file)}, "rb"))`,
    'local last',
    'function request()',
    // After the last request it is repeated, and the server refuses it.
    `  last = requests:read(${head.length + length}) or last`,
    '  return last',
    'end',
  ]
}

/** Complete requests, all loaded into memory before the first is sent. */
function sendRequests(folder: string, load: Load, requests: readonly LoadRequest[]): string[] {
  const file = join(folder, 'requests')
  const texts = requests.map(({ path, headers = {} }) => writeHead(load, path, headers))
  writeFileSync(file, texts.join('\0'))
  return [
    'local requests = {}',
    'local at = 0',
    'function init()',
    `  local file = assert(io.open(${JSON.stringify(file)}, "rb"))`,
    '  for text in file:read("*a"):gmatch("[^%z]+") do requests[#requests + 1] = text end',
    '  file:close()',
    'end',
    ...(load.once === true ? sendOnce(texts.length, load.connections) : sendAgain),
  ]
}

const sendAgain = [
  'function request()',
  '  at = at % #requests + 1',
  '  return requests[at]',
  'end',
]

/** wrk only knows its configured duration, so the script measures the time itself. */
const sendOnce = (count: number, connections: number): string[] => [
  // When the last is sent, all are answered except those of the other connections.
  `local answered = ${count - connections}`,
  'local ffi = require("ffi")',
  'ffi.cdef("typedef struct { long s; long us; } moment; int gettimeofday(moment *, void *);")',
  'local clock = ffi.new("moment")',
  'local function now()',
  '  ffi.C.gettimeofday(clock, nil)',
  '  return tonumber(clock.s) + tonumber(clock.us) / 1e6',
  'end',
  'function request()',
  '  at = at + 1',
  // wrk calls this once before it starts.
  '  if at == 2 then begun = now() end',
  '  if at > #requests then',
  '    ended = ended or now()',
  '    wrk.thread:stop()',
  '    return requests[#requests]',
  '  end',
  '  return requests[at]',
  'end',
  'local threads = {}',
  'function setup(thread) threads[#threads + 1] = thread end',
  'function done()',
  '  local first, last = threads[1]:get("begun"), threads[1]:get("ended")',
  '  if last then print(string.format("until the last: %.1f", answered / (last - first))) end',
  'end',
]
