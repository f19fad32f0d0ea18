import { describe, expect, it } from 'vitest'
import type { Assembly, Template } from '#infra/template/assembly.ts'
import { allStacks, Stack } from '#infra/template/stack.ts'

const assembly = (stacks: Record<string, Template>, nested: Record<string, Template> = {}): Assembly => ({
  stacks: Object.entries(stacks).map(([name, template]) => ({ name, template })),
  asset: (key) => key.split('/').at(-1) ?? '',
  template: (path) => nested[path] ?? {},
})

const stackOf = (template: Template) => new Stack('App', template, assembly({}), () => undefined)

const template: Template = {
  Parameters: { Size: { Type: 'String', Default: 'small' } },
  Resources: {
    Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: { TableName: 'things' } },
    Fn: { Type: 'AWS::Lambda::Function' },
    Odd: { Type: 'AWS::Odd::Thing' },
  },
}

describe('intrinsic functions', () => {
  const stack = stackOf(template)

  it.each([
    [{ Ref: 'Table' }, 'things'],
    [{ Ref: 'Fn' }, 'App-Fn'],
    [{ Ref: 'Size' }, 'small'],
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'Table' }]] }, 'a-things'],
    [{ 'Fn::Sub': `\${Table}/\${AWS::AccountId}/\${!kept}` }, `things/000000000000/\${kept}`],
    [{ 'Fn::Sub': [`\${X}-\${Table.Arn}`, { X: 'y' }] }, `y-${stack.arn('Table')}`],
    [{ 'Fn::Select': ['1', { 'Fn::Split': [',', 'a,b,c'] }] }, 'b'],
    [{ 'Fn::GetAtt': ['Table', 'StreamArn'] }, `${stack.arn('Table')}/stream`],
    [{ list: ['a', { Ref: 'AWS::NoValue' }], gone: { Ref: 'AWS::NoValue' } }, { list: ['a'] }],
  ])('%j', (value, expected) => {
    expect(stack.resolve(value)).toEqual(expected)
  })

  it.each([
    [{ 'Fn::If': ['Small', 1, 2] }, 'Fn::If'],
    [{ 'Fn::Cidr': ['10.0.0.0/8', 2] }, 'Fn::Cidr'],
    [{ 'Fn::GetAtt': ['Odd', 'Color'] }, 'attribute Color of AWS::Odd::Thing'],
    [{ Ref: 'Missing' }, 'no resource Missing'],
  ])('throws for %j instead of guessing', (value, message) => {
    expect(() => stack.resolve(value)).toThrow(message)
  })
})

describe('several stacks', () => {
  it('follows outputs from stack to stack', () => {
    const [, reader] = allStacks(
      assembly({ Data: { ...template, Outputs: { Out: { Value: { Ref: 'Table' } } } }, Reader: { Resources: {} } }),
    )
    const read = (of: object) => reader?.resolve({ 'Fn::GetStackOutput': of })
    const Region = { Ref: 'AWS::Region' }
    expect(read({ StackName: 'Data', OutputName: 'Out' })).toBe('things')
    expect(read({ StackName: 'Data', OutputName: 'Out', Region })).toBe('things')
    expect(() => read({ StackName: 'Data', OutputName: 'Other' })).toThrow('no output Other')
    expect(() => read({ StackName: 'Other', OutputName: 'Out' })).toThrow('The stack Other does not exist')
    expect(() => read({ StackName: 'Data', OutputName: 'Out', Region: 'eu-west-1' })).toThrow(
      'supports only one region',
    )
    expect(() => read({ StackName: 'Data', OutputName: 'Out', RoleArn: 'role' })).toThrow('supports only one region')
  })

  it('passes parameters into nested stacks and reads their outputs', () => {
    const inner: Template = {
      Parameters: { TableRef: { Type: 'String' } },
      Outputs: { Shown: { Value: { 'Fn::Join': ['', ['<', { Ref: 'TableRef' }, '>']] } } },
    }
    const outer: Template = {
      Resources: {
        ...template.Resources,
        Inner: {
          Type: 'AWS::CloudFormation::Stack',
          Properties: { TemplateURL: 'https://bucket/inner.json', Parameters: { TableRef: { Ref: 'Table' } } },
        },
      },
    }
    const [stack, nested] = allStacks(assembly({ Outer: outer }, { 'inner.json': inner }))
    expect(stack?.resolve({ 'Fn::GetAtt': ['Inner', 'Outputs.Shown'] })).toBe('<things>')
    expect(nested?.name).toBe('Outer-Inner')
  })
})
