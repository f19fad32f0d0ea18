import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'
import type { Assembly, Template, TemplateResource } from './assembly.ts'

const arnOf = (service: string, resource: string): string =>
  `arn:aws:${service}:${builtIns['AWS::Region']}:${builtIns['AWS::AccountId']}:${resource}`

function toList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error(`A template has ${JSON.stringify(value)} instead of a list.`)
  return value
}

/** Resource together with its stack, which resolves the intrinsic functions in the properties. */
export type StackResource = { stack: Stack; id: string; type: string; properties: Record<string, unknown> }

/** Stack of the app, or a stack nested in one. Lists resources and resolves intrinsic functions. */
export class Stack {
  readonly name: string
  readonly template: Template
  readonly #parameters: Record<string, unknown>
  readonly #assembly: Assembly
  readonly #outputOf: (stack: string, output: string) => unknown
  readonly #nested = new Map<string, Stack>()

  constructor(
    name: string,
    template: Template,
    assembly: Assembly,
    outputOf: (stack: string, output: string) => unknown,
    parameters: Record<string, unknown> = {},
  ) {
    this.name = name
    this.template = template
    this.#assembly = assembly
    this.#outputOf = outputOf
    this.#parameters = parameters
  }

  all(): StackResource[] {
    return Object.entries(this.template.Resources ?? {}).map(([id, { Type, Properties }]) => ({
      stack: this,
      id,
      type: Type,
      properties: Properties ?? {},
    }))
  }

  resource(id: string): TemplateResource {
    const resource = this.template.Resources?.[id]
    if (!resource) throw new Error(`The template of ${this.name} has no resource ${id}.`)
    return resource
  }

  /** Returns a resource's name, or a generated name if the resource has none. For an alias, returns its ARN. */
  physicalId(id: string): string {
    const { Type, Properties = {} } = this.resource(id)
    if (Type === 'AWS::Lambda::Alias') {
      const { FunctionName, Name } = this.resolveEach(Properties)
      return `${arnOf('lambda', `function/${FunctionName}`)}:${Name}`
    }
    const name = this.resolve(Properties[nameProperties[Type] ?? ''])
    return typeof name === 'string' ? name : `${this.name}-${id}`
  }

  arn(id: string, attribute = 'Arn'): string {
    const { Type } = this.resource(id)
    if (Type === 'AWS::Logs::LogGroup') return arnOf('logs', `log-group:${this.physicalId(id)}:*`)
    const [, service = '', type = ''] = Type.split('::')
    const arn = arnOf(service.toLowerCase(), `${type.toLowerCase()}/${this.physicalId(id)}`)
    return attribute === 'StreamArn' ? `${arn}/stream` : arn
  }

  nested(id: string): Stack {
    const cached = this.#nested.get(id)
    if (cached) return cached
    const properties = this.resource(id).Properties ?? {}
    const path = this.#assembly.asset(String(this.resolve(properties.TemplateURL)))
    const parameterValues = fieldsOf(properties.Parameters)
    const parameters = new Proxy(parameterValues, { get: (target, key: string) => this.resolve(target[key]) })
    const template = this.#assembly.template(path)
    const stack = new Stack(`${this.name}-${id}`, template, this.#assembly, this.#outputOf, parameters)
    this.#nested.set(id, stack)
    return stack
  }

  output(name: string): unknown {
    const output = this.template.Outputs?.[name]
    if (!output) throw new Error(`The template of ${this.name} has no output ${name}.`)
    return this.resolve(output.Value)
  }

  /**
   * Replaces the intrinsic functions in a value with their results.
   * @throws Error for an intrinsic function that the local runner does not support
   */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item)).filter((item) => item !== undefined)
    if (!isObject(value)) return value
    const [[name, argument] = ['', undefined], ...more] = Object.entries(value)
    if (more.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) return this.#intrinsic(name, argument)
    return this.resolveEach(value)
  }

  /** Resolves the values of an object that is not itself an intrinsic function, such as the properties of a resource. */
  resolveEach(values: Record<string, unknown>): Record<string, unknown> {
    const resolvedEntries = Object.entries(values).map(([key, item]): [string, unknown] => [key, this.resolve(item)])
    return Object.fromEntries(resolvedEntries.filter(([, item]) => item !== undefined))
  }

  #intrinsic(name: string, argument: unknown): unknown {
    const list = () => toList(this.resolve(argument))
    switch (name) {
      case 'Ref':
        return this.#ref(String(argument))
      case 'Fn::GetAtt': {
        const [id, attribute] = Array.isArray(argument) ? argument : String(argument).split(/\.(.*)/, 2)
        return this.#attribute(String(id), String(attribute))
      }
      case 'Fn::Join': {
        const [separator, parts] = list()
        return toList(parts).map(String).join(String(separator))
      }
      case 'Fn::Sub':
        return this.#substitute(argument)
      case 'Fn::Select': {
        const [index, items] = list()
        return toList(items)[Number(index)]
      }
      case 'Fn::Split': {
        const [separator, text] = list()
        return String(text).split(String(separator))
      }
      case 'Fn::GetStackOutput': {
        const {
          StackName,
          OutputName,
          Region = builtIns['AWS::Region'],
          ...more
        } = this.resolveEach(fieldsOf(argument))
        if (Region !== builtIns['AWS::Region'] || Object.keys(more).length > 0) {
          throw new Error(`The local runner supports only one region and account (${name} in ${this.name}).`)
        }
        return this.#outputOf(String(StackName), String(OutputName))
      }
      default:
        throw new Error(`The local runner does not support the intrinsic function ${name} (in ${this.name}).`)
    }
  }

  #ref(id: string): unknown {
    if (id in builtIns) return builtIns[id]
    if (id === 'AWS::StackName') return this.name
    if (id === 'AWS::StackId') return arnOf('cloudformation', `stack/${this.name}/local`)
    const parameter = this.template.Parameters?.[id]
    if (parameter) {
      const value = this.#parameters[id] ?? parameter.Default
      if (value === undefined) throw new Error(`The parameter ${id} of ${this.name} has no value.`)
      return value
    }
    return this.physicalId(id)
  }

  #attribute(id: string, attribute: string): unknown {
    const { Type } = this.resource(id)
    if (Type === 'AWS::CloudFormation::Stack' && attribute.startsWith('Outputs.')) {
      return this.nested(id).output(attribute.slice('Outputs.'.length))
    }
    if (!attributes[Type]?.includes(attribute)) {
      throw new Error(
        `The local runner does not support the attribute ${attribute} of ${Type} (${id} in ${this.name}).`,
      )
    }
    return /Arn$/.test(attribute) ? this.arn(id, attribute) : `${this.physicalId(id)}.${attribute}`
  }

  #substitute(argument: unknown): string {
    const [text, variableMap] = [argument].flat()
    const variables = fieldsOf(variableMap)
    return String(text).replace(/\$\{(!?)([^}]+)\}/g, (match, literal: string, name: string) => {
      if (literal) return `\${${name}}`
      if (name in variables) return String(this.resolve(variables[name]))
      if (name.startsWith('AWS::') || !name.includes('.')) return String(this.#ref(name) ?? match)
      const [id = '', attribute = ''] = name.split(/\.(.*)/, 2)
      return String(this.#attribute(id, attribute))
    })
  }
}

/** Values of CloudFormation's pseudo parameters. Locally, they only need to be consistent. */
const builtIns: Record<string, string | undefined> = {
  'AWS::AccountId': '000000000000',
  'AWS::Region': 'us-east-1',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::NoValue': undefined,
}

/** Handlers of schedules without a local counterpart, such as the pruning of function versions. */
export const withoutCounterpart: ReadonlySet<string> = new Set(['schedules/prune-versions.handler'])

/** Property that contains a resource's physical name, by resource type. Other types have no usable name. */
const nameProperties: Record<string, string> = {
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Kinesis::Stream': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::S3::Bucket': 'BucketName',
}

const attributes: Record<string, string[]> = {
  'AWS::CloudWatch::Alarm': ['Arn'],
  'AWS::DynamoDB::GlobalTable': ['Arn', 'StreamArn', 'TableId'],
  'AWS::DynamoDB::Table': ['Arn', 'StreamArn'],
  'AWS::Events::Rule': ['Arn'],
  'AWS::KMS::Key': ['Arn', 'KeyId'],
  'AWS::Kinesis::Stream': ['Arn'],
  'AWS::Lambda::Function': ['Arn'],
  'AWS::Lambda::Version': ['Version'],
  'AWS::IAM::Role': ['Arn', 'RoleId'],
  'AWS::Logs::LogGroup': ['Arn'],
  'AWS::S3::Bucket': ['Arn'],
  'AWS::SNS::Topic': ['TopicArn'],
  'AWS::SQS::Queue': ['Arn', 'QueueName'],
  'AWS::ApiGatewayV2::Api': ['ApiEndpoint', 'ApiId'],
  'AWS::WAFv2::WebACL': ['Arn'],
}

const withNested = (stack: Stack): Stack[] => [
  stack,
  ...stack
    .all()
    .filter(({ type }) => type === 'AWS::CloudFormation::Stack')
    .flatMap(({ id }) => withNested(stack.nested(id))),
]

export function allStacks(assembly: Assembly): Stack[] {
  const outputOf = (stack: string, output: string): unknown => {
    const found = roots.find(({ name }) => name === stack)
    if (!found) throw new Error(`The stack ${stack} does not exist.`)
    return found.output(output)
  }
  const roots = assembly.stacks.map(({ name, template }) => new Stack(name, template, assembly, outputOf))
  return roots.flatMap(withNested)
}
