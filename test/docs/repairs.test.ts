import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { documents } from './aws-cli/documents.ts'

const deployment =
  /\bcdk deploy\b|\bnpm run deploy\b|\bdeploy(?:ing|ment)?s? (?:again|anew)\b|\b(?:a|the next|another) deploy(?:ment)?\b/i
const plainCommand = /`(?:npm run deploy|(?:npx )?cdk deploy(?: --all| [A-Z][\w-]*)?)`/
const promise =
  /\b(?:makes?|creates?|puts?|brings?|sets?|writes?) (?:\S+ ){1,4}?(?:again|right|back|in order|anew)\b|\b(?:repairs?|recreates?|restores?|mends?|heals?) |\bmakes what was\b/
/** Matches words for a change since the last deployment, or for a comparison with the deployed state. */
const changed =
  /--revert-drift|\s-c [\w<]|cdk\.json|\bversions?\b|\bcommit\b|\bfix\b|\bdestroy\b|\bdelete-stack\b|`?\w+=\w+|\bwithout `|\bupgrade\b/

/** Splits a document into table rows, list items and paragraphs, each with its code block. */
function passagesOf(text: string): string[] {
  return text
    .replace(/\n\n( *)```/g, '\n$1```')
    .split(/\n(?=\s*\n|\s*(?:[-*]|\d+\.) |\|)/)
    .map((passage) => passage.replace(/\s+/g, ' ').trim())
}

const sentencesOf = (passage: string): string[] => passage.split(/(?<=[.;:|])\s+(?=[A-Z*`|])/)

/** True if a sentence promises that a deployment fixes something, without mentioning a change to deploy. */
const isPromise = (sentence: string): boolean =>
  promise.test(sentence.slice(deployment.exec(sentence)?.index ?? sentence.length)) && !changed.test(sentence)

/** Returns the sentences that promise that deploying without changes reverts manual changes. */
const promisesOf = (text: string): string[] => passagesOf(text).flatMap(sentencesOf).filter(isPromise)

const plainDeployments = (text: string): string[] =>
  passagesOf(text).filter((passage) => plainCommand.test(passage) && !changed.test(passage))

describe('CloudFormation compares templates, so a plain deployment repairs nothing', () => {
  it('no document promises a repair by a plain deployment', () => {
    const found = documents.flatMap((file) => promisesOf(readFileSync(file, 'utf8')).map((one) => `${file}: ${one}`))
    expect(found).toEqual([])
  })

  it('no runbook deploys without a change', () => {
    const runbooks = documents.filter((file) => file.startsWith('docs/runbooks/') && !file.endsWith('/repair.md'))
    expect(runbooks.length).toBeGreaterThan(15)
    const found = runbooks.flatMap((file) =>
      plainDeployments(readFileSync(file, 'utf8')).map((one) => `${file}: ${one}`),
    )
    expect(found).toEqual([])
  })

  it.each([
    '| none | it was deleted: `npm run deploy` makes it again, from the oldest record |',
    'A right of its role is gone: `npm run deploy` puts the rights right',
    '| 500 | a right was taken | `cdk deploy` puts the roles right again |',
    'The schedule is gone. `npx cdk deploy --all` recreates it.',
    'The next deployment restores the stage.',
  ])('detects %s', (sentence) => expect(promisesOf(`Text.\n\n${sentence}\n`)).toHaveLength(1))

  it.each([
    '1. Put the right or the bucket in order: `npm run deploy`.',
    'Is its rule there? `aws events enable-rule --name <rule>`, or `npm run deploy`.',
  ])('detects the command in %s', (passage) => expect(plainDeployments(passage)).toHaveLength(1))
})
