import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextLink } from './next-link.ts'

const linkFor = (url: string) => nextLink('https://muster.example', url, 'abc')
const link = (rest: string) => `<https://muster.example${rest}>; rel="next"`

describe('the link to the next page', () => {
  test('adds a marker to what was asked', () => {
    assert.equal(linkFor('/servers'), link('/servers?marker=abc'))
    assert.equal(linkFor('/servers?'), link('/servers?marker=abc'))
    assert.equal(linkFor('/servers?limit=2&q=a%20b'), link('/servers?limit=2&q=a%20b&marker=abc'))
    assert.equal(linkFor('/servers?&&limit=2&'), link('/servers?limit=2&marker=abc'))
  })

  test('puts it in the place of what said where to begin', () => {
    for (const name of ['marker', 'paging_marker', 'paging_marker.0', 'offset']) {
      assert.equal(linkFor(`/servers?${name}=7&limit=2`), link('/servers?limit=2&marker=abc'))
    }
    const kept = '/servers?name=offset=1&search=marker'
    assert.equal(linkFor(kept), link(`${kept}&marker=abc`))
  })

  test('keeps a question mark, and all that is behind it', () => {
    const url = '/servers?search=who?&status=running'
    assert.equal(linkFor(url), link(`${url}&marker=abc`))
  })

  test('is not ended by what somebody asks for', () => {
    assert.equal(
      linkFor('/servers?q=vcpu>=8>;%20rel="last"<x'),
      link('/servers?q=vcpu%3E=8%3E;%20rel=%22last%22%3Cx&marker=abc'),
    )
  })
})
