import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '../config/parsers.ts'
import { explainError } from './explain-error.ts'

test('an error at start names the setting, and what is wrong with it', () => {
  const path = '/var/lib/muster'
  const failure = (fields: object) => Object.assign(new Error('failed'), fields)
  const cases: [unknown, number, RegExp][] = [
    [new ConfigError('--port must be a number'), 2, /^--port must be a number$/],
    [failure({ code: 'EACCES', syscall: 'listen', port: 443 }), 2, /^--port: .*port 443:/],
    [
      failure({ code: 'EACCES', syscall: 'mkdir', path }),
      2,
      /^--data-dir: .*for \/var\/lib\/muster:/,
    ],
    [
      failure({ code: 'EPERM', syscall: 'chmod', path }),
      2,
      /^--data-dir: .*for \/var\/lib\/muster:/,
    ],
    [failure({ code: 'EROFS', path }), 2, /^--data-dir: .*\/var\/lib\/muster is read-only$/],
    [failure({ code: 'ENOTDIR', path }), 2, /^--data-dir: \/var\/lib\/muster is not a directory$/],
    [failure({ code: 'ENOSPC', path }), 1, /^--data-dir: the disk of \/var\/lib\/muster is full/],
    [failure({ code: 'EADDRINUSE', port: 443 }), 1, /^the port is already in use: .*--port$/],
    [failure({}), 1, /^failed$/],
  ]
  for (const [error, status, line] of cases) {
    const explained = explainError(error)
    assert.match(explained.line, line)
    assert.equal(explained.status, status, explained.line)
  }
})
