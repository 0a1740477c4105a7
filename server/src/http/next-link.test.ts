import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextLink, nextOffset } from './next-link.ts'

const linkFor = (url: string) => nextLink(`https://muster.example${url}`, { marker: 'abc' }).link
const link = (rest: string) => `<https://muster.example${rest}>; rel="next"`

describe('the next page link', () => {
  test('adds a marker to the query', () => {
    assert.equal(linkFor('/servers'), link('/servers?marker=abc'))
    assert.equal(linkFor('/servers?'), link('/servers?marker=abc'))
    assert.equal(linkFor('/servers?limit=2&q=a%20b'), link('/servers?limit=2&q=a%20b&marker=abc'))
    assert.equal(linkFor('/servers?&&limit=2&'), link('/servers?limit=2&marker=abc'))
  })

  test('replaces the paging parameters', () => {
    for (const name of ['marker', 'paging_marker', 'paging_marker.0', 'offset']) {
      assert.equal(linkFor(`/servers?${name}=7&limit=2`), link('/servers?limit=2&marker=abc'))
    }
    const unrelated = '/servers?name=offset=1&search=marker'
    assert.equal(linkFor(unrelated), link(`${unrelated}&marker=abc`))
  })

  test('keeps a question mark in the query', () => {
    const url = '/servers?search=who?&status=running'
    assert.equal(linkFor(url), link(`${url}&marker=abc`))
  })

  test('escapes characters that would end the URL', () => {
    assert.equal(
      linkFor('/servers?q=vcpu>=8>;%20rel="last"<x'),
      link('/servers?q=vcpu%3E=8%3E;%20rel=%22last%22%3Cx&marker=abc'),
    )
  })

  test('increments the offset until the last page', () => {
    const page = { limit: 20, offset: 20, total: 45 }
    assert.deepEqual(
      nextLink('https://muster.example/views?offset=20&limit=20', nextOffset(page)),
      { link: link('/views?limit=20&offset=40') },
    )
    assert.deepEqual(
      nextLink('https://muster.example/views', nextOffset({ ...page, offset: 40 })),
      {},
    )
    assert.equal(nextOffset({ ...page, limit: 0 }), undefined)
  })
})
