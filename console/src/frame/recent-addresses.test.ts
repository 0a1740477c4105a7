import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressOf } from './recent-addresses.ts'

const pages = ['/', '/servers', '/identity', '/infrastructure/hosts', '/infrastructure/disks']
const of = (pathname: string, panel?: string) => addressOf({ pathname, search: { panel } }, pages)

describe('the address of what was visited', () => {
  it('is that of a server in each of its tabs, and beside the list', () => {
    for (const path of ['/servers/7', '/servers/7/network']) assert.equal(of(path), '/servers/7')
    assert.equal(of('/servers', '7'), '/servers/7')
    assert.equal(of('/servers'), '/servers')
  })

  it('is that of a project, a user or an account', () => {
    for (const path of ['/identity/projects/7', '/identity/users/7', '/accounts/7']) {
      assert.equal(of(path), path)
    }
  })

  it('is otherwise that of a page, also of what is on it', () => {
    assert.equal(of('/'), '/')
    assert.equal(of('/identity/groups/7'), '/identity')
    assert.equal(of('/infrastructure/disks/7'), '/infrastructure/disks')
    assert.equal(of('/no/such/page'), undefined)
  })
})
