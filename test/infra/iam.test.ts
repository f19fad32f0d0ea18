import { describe, expect, it } from 'vitest'
import { admits, type Call, evaluate, type ResourceStatement, type Statement } from '#test/support/service/iam.ts'

const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/Books'
const call = (fields: Partial<Call> = {}): Call => ({
  action: 'dynamodb:GetItem',
  resource: table,
  context: {},
  ...fields,
})
const keys = (...values: string[]) => ({ 'dynamodb:LeadingKeys': values })
const allow: Statement = { Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' }
const under = (Condition: Statement['Condition'], effect: Statement['Effect'] = 'Allow'): Statement => ({
  ...allow,
  Effect: effect,
  Condition,
})

describe('the evaluation of policies', () => {
  it('denies by default, and lets an explicit deny override any allow', () => {
    expect(evaluate([], call())).toBe('implicitly denied')
    expect(evaluate([allow], call())).toBe('allowed')
    const deny: Statement = { Effect: 'Deny', Action: 'dynamodb:GetItem', Resource: table }
    for (const statements of [[allow, deny], [deny, allow], [deny]]) {
      expect(evaluate(statements, call())).toBe('explicitly denied')
    }
    expect(evaluate([allow, deny], call({ action: 'dynamodb:Query' }))).toBe('allowed')
  })

  it.each<[string | string[], string, boolean]>([
    ['dynamodb:GetItem', 'dynamodb:GetItem', true],
    ['DynamoDB:getitem', 'dynamodb:GetItem', true],
    ['dynamodb:Get*', 'dynamodb:GetItem', true],
    ['dynamodb:?etItem', 'dynamodb:GetItem', true],
    ['*', 'dynamodb:GetItem', true],
    ['dynamodb:Get', 'dynamodb:GetItem', false],
    ['dynamodb:GetItem', 'dynamodb:BatchGetItem', false],
    [['s3:*', 'dynamodb:Query'], 'dynamodb:Query', true],
  ])('matches the action %j with %s: %s', (Action, action, matches) => {
    expect(evaluate([{ ...allow, Action }], call({ action }))).toBe(matches ? 'allowed' : 'implicitly denied')
    const { Action: _all, ...others } = allow
    expect(evaluate([{ ...others, NotAction: Action }], call({ action }))).toBe(
      matches ? 'implicitly denied' : 'allowed',
    )
  })

  it.each<[string, boolean]>([
    [table, true],
    [`${table.slice(0, -5)}*`, true],
    [`${table}/index/*`, false],
    [table.toLowerCase(), false],
    ['arn:aws:dynamodb:*:*:table/?ooks', true],
  ])('matches the resource %s: %s', (Resource, matches) => {
    expect(evaluate([{ ...allow, Resource }], call())).toBe(matches ? 'allowed' : 'implicitly denied')
    const { Resource: _all, ...others } = allow
    expect(evaluate([{ ...others, NotResource: Resource }], call())).toBe(matches ? 'implicitly denied' : 'allowed')
  })

  it.each<[string, Statement['Condition'], Call['context'], boolean]>([
    ['all of the keys', { 'ForAllValues:StringLike': keys('a*', 'b') }, keys('a1', 'b'), true],
    ['not all of the keys', { 'ForAllValues:StringLike': keys('a*', 'b') }, keys('a1', 'c'), false],
    ['all keys of an empty list', { 'ForAllValues:StringLike': keys('a*') }, {}, true],
    ['any of the keys', { 'ForAnyValue:StringLike': keys('a*') }, keys('c', 'a1'), true],
    ['none of the keys', { 'ForAnyValue:StringLike': keys('a*') }, keys('c', 'd'), false],
    ['any key of an empty list', { 'ForAnyValue:StringLike': keys('a*') }, {}, false],
    ['a key that exists', { Null: { 'dynamodb:LeadingKeys': 'false' } }, keys('a'), true],
    ['a key that does not exist', { Null: { 'dynamodb:LeadingKeys': 'false' } }, {}, false],
    ['a key that must not exist', { Null: { 'dynamodb:LeadingKeys': 'true' } }, {}, true],
    ['one value', { StringEquals: keys('a', 'b') }, keys('b'), true],
    ['one value in another case', { StringEquals: keys('A') }, keys('a'), false],
    ['one missing value', { StringEquals: keys('a') }, {}, false],
    ['one optional value, which is missing', { StringEqualsIfExists: keys('a') }, {}, true],
    ['one optional value, which differs', { StringEqualsIfExists: keys('a') }, keys('b'), false],
    ['none of the values', { StringNotLike: keys('a*', 'b') }, keys('c'), true],
    ['a value that must not match', { StringNotLike: keys('a*', 'b') }, keys('a1'), false],
    ['a negation without a value', { StringNotEquals: keys('a') }, {}, true],
    [
      'every operator',
      { 'ForAllValues:StringLike': keys('a*'), Null: { 'dynamodb:LeadingKeys': 'false' } },
      keys('a1'),
      true,
    ],
    [
      'not every operator',
      { 'ForAllValues:StringLike': keys('a*'), Null: { 'dynamodb:LeadingKeys': 'false' } },
      {},
      false,
    ],
    [
      'every key of an operator',
      { 'ForAnyValue:StringEquals': { ...keys('a'), 'dynamodb:EnclosingOperation': 'TransactWriteItems' } },
      { ...keys('a'), 'dynamodb:EnclosingOperation': ['BatchExecuteStatement'] },
      false,
    ],
  ])('with %s', (_name, condition, context, expected) => {
    expect(evaluate([under(condition)], call({ context }))).toBe(expected ? 'allowed' : 'implicitly denied')
    expect(evaluate([allow, under(condition, 'Deny')], call({ context }))).toBe(
      expected ? 'explicitly denied' : 'allowed',
    )
  })

  it('treats every character of a value literally, except the two wildcards', () => {
    const expected = (pattern: string, value: string) =>
      evaluate([under({ 'ForAllValues:StringLike': keys(pattern) })], call({ context: keys(value) })) === 'allowed'
    for (const character of '.+^$()|[]{}\\/#') {
      expect(expected(`a${character}b`, `a${character}b`), character).toBe(true)
      expect(expected(`a${character}b`, 'axb'), character).toBe(false)
    }
    expect([expected('a*', 'a\nb'), expected('a?', 'a#'), expected('a?', 'a'), expected('a*b', 'ab')]).toEqual([
      true,
      true,
      false,
      true,
    ])
  })

  it('throws for unsupported elements instead of guessing', () => {
    expect(() => evaluate([under({ NumericLessThan: keys('1') })], call({ context: keys('1') }))).toThrow(
      'NumericLessThan',
    )
    const both = under({ 'ForAnyValue:StringLikeIfExists': keys('a') })
    expect(() => evaluate([both], call())).toThrow('Unsupported')
    expect(() => evaluate([under({ StringEquals: { 'aws:PrincipalTag/x': 'y' } })], call())).toThrow(
      'aws:PrincipalTag/x',
    )
    expect(() => evaluate([under({ StringEquals: keys('a') })], call({ context: keys('a', 'b') }))).toThrow('one value')
    expect(() => evaluate([{ ...allow, Principal: '*' } as Statement], call())).toThrow('Principal')
    const variable = under({ StringLike: keys(`${'$'}{aws:username}`) })
    expect(() => evaluate([variable], call({ context: keys('a') }))).toThrow('variable')
  })
})

describe('the evaluation of resource policies', () => {
  const topic = 'arn:aws:sns:eu-central-1:123456789012:alarms'
  const publish = { service: 'cloudwatch.amazonaws.com', action: 'sns:Publish', resource: topic }
  const from = (account: string) => ({
    ...publish,
    context: { 'aws:SourceAccount': account, 'aws:SecureTransport': 'true' },
  })
  const statement = (fields: Partial<ResourceStatement> = {}): ResourceStatement => ({
    Effect: 'Allow',
    Principal: { Service: 'cloudwatch.amazonaws.com' },
    Action: 'sns:Publish',
    Resource: topic,
    ...fields,
  })
  const withoutTls = statement({
    Effect: 'Deny',
    Principal: '*',
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  })
  const ofAccount = statement({ Condition: { StringEquals: { 'aws:SourceAccount': '123456789012' } } })

  it.each<[string, ResourceStatement[], boolean]>([
    ['no statement allows it', [withoutTls], false],
    ['the policy names the service', [withoutTls, statement()], true],
    ['the policy names several services', [statement({ Principal: { Service: ['a.b', publish.service] } })], true],
    ['the policy names another service', [statement({ Principal: { Service: 'events.amazonaws.com' } })], false],
    ['the policy names the account', [statement({ Principal: { AWS: 'arn:aws:iam::123456789012:root' } })], false],
    ['the policy allows every principal', [statement({ Principal: '*' })], false],
    ['the policy denies every principal', [statement(), statement({ Effect: 'Deny', Principal: { AWS: '*' } })], false],
    ['the policy names another resource', [statement({ Resource: `${topic}2` })], false],
    ['the calling account matches', [ofAccount], true],
  ])('of a call by a service: %s', (_name, statements, admitted) => {
    expect(admits(statements, from('123456789012')) === 'allowed').toBe(admitted)
  })

  it('refuses a service that calls for another account, or without TLS', () => {
    expect(admits([ofAccount], from('210987654321'))).toBe('implicitly denied')
    const plain = { ...publish, context: { 'aws:SecureTransport': 'false' } }
    expect(admits([statement(), withoutTls], plain)).toBe('explicitly denied')
  })
})
