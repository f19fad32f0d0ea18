import type { Assembly, Resource, Template } from './assembly.ts'

/** The values that CloudFormation knows of a deployment; here they only have to be consistent. */
const pseudo: Record<string, string | undefined> = {
  'AWS::AccountId': '000000000000',
  'AWS::Region': 'us-east-1',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::NoValue': undefined,
}

/** Where a resource's name stands in its properties. A type that is not here has no name that we could use. */
const names: Record<string, string> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Kinesis::Stream': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::S3::Bucket': 'BucketName',
}

const attributes: Record<string, string[]> = {
  'AWS::DynamoDB::GlobalTable': ['Arn', 'StreamArn', 'TableId'],
  'AWS::DynamoDB::Table': ['Arn', 'StreamArn'],
  'AWS::KMS::Key': ['Arn', 'KeyId'],
  'AWS::Kinesis::Stream': ['Arn'],
  'AWS::Lambda::Function': ['Arn'],
  'AWS::IAM::Role': ['Arn', 'RoleId'],
  'AWS::Logs::LogGroup': ['Arn'],
  'AWS::S3::Bucket': ['Arn'],
  'AWS::SNS::Topic': ['TopicArn'],
  'AWS::SQS::Queue': ['Arn', 'QueueName'],
  'AWS::ApiGatewayV2::Api': ['ApiEndpoint', 'ApiId'],
}

/** One stack of the app, or one nested in it: its resources and the values that its intrinsic functions stand for. */
export class Stack {
  readonly name: string
  readonly template: Template
  readonly #parameters: Record<string, unknown>
  readonly #assembly: Assembly
  readonly #imported: (name: string) => unknown
  readonly #nested = new Map<string, Stack>()

  constructor(
    name: string,
    template: Template,
    assembly: Assembly,
    imported: (name: string) => unknown,
    parameters: Record<string, unknown> = {},
  ) {
    this.name = name
    this.template = template
    this.#assembly = assembly
    this.#imported = imported
    this.#parameters = parameters
  }

  resource(id: string): Resource {
    const resource = this.template.Resources?.[id]
    if (!resource) throw new Error(`The template of ${this.name} has no resource ${id}.`)
    return resource
  }

  /** A resource's name where it has one, else what stands for it in this run. */
  physicalId(id: string): string {
    const { Type, Properties } = this.resource(id)
    const property = names[Type]
    const given = property ? Properties?.[property] : undefined
    const value = given === undefined ? undefined : this.resolve(given)
    return typeof value === 'string' ? value : `${this.name}-${id}`
  }

  arn(id: string, attribute = 'Arn'): string {
    const [, service = '', type = ''] = this.resource(id).Type.split('::')
    const arn = `arn:aws:${service.toLowerCase()}:${pseudo['AWS::Region']}:${pseudo['AWS::AccountId']}:${type.toLowerCase()}/${this.physicalId(id)}`
    return attribute === 'StreamArn' ? `${arn}/stream` : arn
  }

  nested(id: string): Stack {
    const known = this.#nested.get(id)
    if (known) return known
    const properties = this.resource(id).Properties ?? {}
    const path = this.#assembly.asset(String(this.resolve(properties.TemplateURL)))
    const given = (properties.Parameters ?? {}) as Record<string, unknown>
    const parameters = new Proxy(given, { get: (target, key: string) => this.resolve(target[key]) })
    const stack = new Stack(
      `${this.name}-${id}`,
      this.#assembly.template(path),
      this.#assembly,
      this.#imported,
      parameters,
    )
    this.#nested.set(id, stack)
    return stack
  }

  output(name: string): unknown {
    const output = this.template.Outputs?.[name]
    if (!output) throw new Error(`The template of ${this.name} has no output ${name}.`)
    return this.resolve(output.Value)
  }

  /** The value with its intrinsic functions carried out. One that is not known here is an error, never a guess. */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item)).filter((item) => item !== undefined)
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value)
    const [name, argument] = entries[0] ?? []
    if (entries.length === 1 && name && (name === 'Ref' || name.startsWith('Fn::'))) {
      return this.#intrinsic(name, argument)
    }
    return Object.fromEntries(
      entries.map(([key, item]) => [key, this.resolve(item)]).filter(([, item]) => item !== undefined),
    )
  }

  #intrinsic(name: string, argument: unknown): unknown {
    const list = () => this.resolve(argument) as unknown[]
    switch (name) {
      case 'Ref':
        return this.#ref(String(argument))
      case 'Fn::GetAtt':
        return this.#attribute(
          ...((Array.isArray(argument) ? argument : String(argument).split(/\.(.*)/, 2)) as [string, string]),
        )
      case 'Fn::Join': {
        const [separator, parts] = list() as [string, unknown[]]
        return parts.map(String).join(separator)
      }
      case 'Fn::Sub':
        return this.#substitute(argument)
      case 'Fn::Select': {
        const [index, items] = list() as [number | string, unknown[]]
        return items[Number(index)]
      }
      case 'Fn::Split': {
        const [separator, text] = list() as [string, string]
        return text.split(separator)
      }
      case 'Fn::If': {
        const [condition, yes, no] = argument as [string, unknown, unknown]
        return this.resolve(this.#condition({ Condition: condition }) ? yes : no)
      }
      case 'Fn::ImportValue':
        return this.#imported(String(this.resolve(argument)))
      default:
        throw new Error(`The local runner does not know the intrinsic function ${name} (in ${this.name}).`)
    }
  }

  #ref(id: string): unknown {
    if (id in pseudo) return pseudo[id]
    if (id === 'AWS::StackName') return this.name
    if (id === 'AWS::StackId')
      return `arn:aws:cloudformation:${pseudo['AWS::Region']}:${pseudo['AWS::AccountId']}:stack/${this.name}/local`
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
      throw new Error(`The local runner does not know the attribute ${attribute} of ${Type} (${id} in ${this.name}).`)
    }
    return /Arn$/.test(attribute) ? this.arn(id, attribute) : `${this.physicalId(id)}.${attribute}`
  }

  #substitute(argument: unknown): string {
    const [text, variables] = (Array.isArray(argument) ? argument : [argument, {}]) as [string, Record<string, unknown>]
    return text.replace(/\$\{(!?)([^}]+)\}/g, (whole, literal: string, name: string) => {
      if (literal) return `\${${name}}`
      if (variables && name in variables) return String(this.resolve(variables[name]))
      if (name.startsWith('AWS::') || !name.includes('.')) return String(this.#ref(name) ?? whole)
      const [id = '', attribute = ''] = name.split(/\.(.*)/, 2)
      return String(this.#attribute(id, attribute))
    })
  }

  #condition(value: unknown): boolean {
    const [name, argument] = Object.entries(value as Record<string, unknown>)[0] ?? []
    const list = () => argument as unknown[]
    switch (name) {
      case 'Condition': {
        const condition = this.template.Conditions?.[String(argument)]
        if (!condition) throw new Error(`The template of ${this.name} has no condition ${argument}.`)
        return this.#condition(condition)
      }
      case 'Fn::Equals': {
        const [left, right] = this.resolve(argument) as unknown[]
        return String(left) === String(right)
      }
      case 'Fn::Not':
        return !this.#condition(list()[0])
      case 'Fn::And':
        return list().every((item) => this.#condition(item))
      case 'Fn::Or':
        return list().some((item) => this.#condition(item))
      default:
        throw new Error(`The local runner does not know the condition ${name} (in ${this.name}).`)
    }
  }
}

/** Every stack of the assembly, the nested ones included. */
export function allStacks(assembly: Assembly): Stack[] {
  const roots: Stack[] = []
  const imported = (name: string): unknown => {
    for (const stack of roots) {
      for (const [id, { Export }] of Object.entries(stack.template.Outputs ?? {})) {
        if (Export && stack.resolve(Export.Name) === name) return stack.output(id)
      }
    }
    throw new Error(`No stack exports ${name}.`)
  }
  for (const { name, template } of assembly.stacks) roots.push(new Stack(name, template, assembly, imported))
  const inner = (stack: Stack): Stack[] => [
    stack,
    ...Object.entries(stack.template.Resources ?? {})
      .filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack')
      .flatMap(([id]) => inner(stack.nested(id))),
  ]
  return roots.flatMap(inner)
}
