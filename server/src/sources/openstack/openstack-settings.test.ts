import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkOpenStackSettings, readOpenStackSettings } from './openstack-settings.ts'

const settings = (credentials = {}, options = {}, address = 'https://keystone.example:5000') => ({
  address,
  credentials,
  options,
})
const user = { username: 'muster', password: 'secret' }
const application = { application_credential_id: 'id', application_credential_secret: 'secret' }

describe('settings of OpenStack', () => {
  test('name Keystone with or without its version', () => {
    for (const address of ['http://k/v3/', 'http://k/v3', 'http://k', 'http://k/']) {
      assert.equal(readOpenStackSettings(settings(user, {}, address)).authUrl, 'http://k/v3')
    }
  })

  test('name domains and projects by name or id', () => {
    const id = 'a'.repeat(32)
    const read = (options: object, domain = '') =>
      readOpenStackSettings(settings({ ...user, user_domain: domain }, options))
    assert.equal(read({}).project, undefined)
    assert.deepEqual(read({ project: id }).project, { id })
    assert.deepEqual(read({ project: 'default' }).project, {
      name: 'default',
      domain: { id: 'default' },
    })
    const named = { project: 'web', project_domain: 'Acme' }
    assert.deepEqual(read(named).project, { name: 'web', domain: { name: 'Acme' } })
    assert.deepEqual(read({}, 'Acme').identity, {
      methods: ['password'],
      password: { user: { name: 'muster', domain: { name: 'Acme' }, password: 'secret' } },
    })
  })

  test('have a user or an application credential, each complete', () => {
    const pathsOf = (credentials: object, options = {}) =>
      checkOpenStackSettings(settings(credentials, options)).map(({ path }) => path)
    assert.deepEqual(pathsOf(user), [])
    assert.deepEqual(pathsOf(application), [])
    assert.deepEqual(pathsOf({}), ['credentials.username'])
    assert.deepEqual(pathsOf({ username: 'muster' }), ['credentials.password'])
    assert.deepEqual(pathsOf({ application_credential_id: 'id' }), [
      'credentials.application_credential_secret',
    ])
    assert.deepEqual(pathsOf({ ...user, ...application, user_domain: 'Acme' }), [
      'credentials.username',
      'credentials.password',
      'credentials.user_domain',
    ])
    assert.deepEqual(pathsOf({ application_credential_secret: 'secret' }), [
      'credentials.application_credential_id',
    ])
    assert.deepEqual(pathsOf(user, { project_domain: 'Acme' }), ['options.project_domain'])
    assert.deepEqual(pathsOf(application, { project: 'web' }), ['options.project'])
    assert.deepEqual(pathsOf(user, { interface: 'private' }), ['options.interface'])
  })
})
