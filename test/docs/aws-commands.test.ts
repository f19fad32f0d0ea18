import { describe, expect, it } from 'vitest'
import { checkCdkCommand } from './aws-cli/check-cdk-command.ts'
import { checkAwsCommand } from './aws-cli/check-command.ts'
import { checkOperatorCommand } from './aws-cli/check-operator-command.ts'
import { documentedCommands, scriptsOf } from './aws-cli/documents.ts'
import { commandsOf, type Words } from './aws-cli/shell.ts'

const awsCommands = documentedCommands('aws')
const cdkCommands = documentedCommands('npx', 'cdk')

const refused = (commands: typeof awsCommands, check: (words: Words) => string[], program: number): string[] =>
  commands.flatMap(({ words, file }) => {
    const objections = check(words.slice(program))
    return objections.length > 0 ? [`${file}: ${words.join(' ')}: ${objections.join('; ')}`] : []
  })

describe('the AWS CLI accepts each command of the documents', () => {
  it('finds commands', () => expect(awsCommands.length).toBeGreaterThan(30))

  it('has only existing options, and all required ones', () => {
    expect(refused(awsCommands, checkAwsCommand, 1)).toEqual([])
  })

  it('has the options that preserve data and responses', () => {
    expect(refused(awsCommands, checkOperatorCommand, 1)).toEqual([])
  })

  it.each([
    ['lambda invoke2 --function-name f out', 'not in test/docs/aws-cli/commands.txt'],
    ['lambda invoke --function f out', 'no option --function; --function-name is required'],
    ['lambda invoke --function-name f', '<outfile> is required'],
    ['lambda invoke --function-name f … out', 'too much: … out'],
    ['lambda invoke --function-name f --invocation-type Later out', '--invocation-type is one of'],
    ['lambda update-event-source-mapping --uuid u --enabled true', 'too much: true'],
    ['dynamodb update-table --table-name --deletion-protection-enabled', '--table-name needs a value'],
    ['dynamodb update-table --table-name t --stream-specification StreamView=NEW_IMAGE', 'has no StreamView'],
    ['dynamodb wait table-ready --table-name t', 'not in test/docs/aws-cli/commands.txt'],
  ])('refuses %s', (command, objection) => {
    expect(checkAwsCommand(command.split(' ')).join('; ')).toContain(objection)
  })

  it.each([
    'lambda create-event-source-mapping --function-name f --event-source-arn a --starting-position LATEST',
    'lambda delete-event-source-mapping --uuid <the mapping of StoreFlowLogs>',
    "lambda invoke --function-name f --cli-read-timeout 0 --payload '{}' out",
    'lambda invoke --function-name f out',
    'lambda list-event-source-mappings --function-name <consumer>',
    'cloudformation describe-stack-resources --stack-name NetworkAccess',
  ])('refuses %s', (command) => {
    expect(checkOperatorCommand(commandsOf(command)[0] ?? [])).toHaveLength(1)
  })
})

describe('the CDK CLI accepts each command of the documents', () => {
  it('finds commands', () => expect(cdkCommands.length).toBeGreaterThan(5))

  it('has only existing options', () => expect(refused(cdkCommands, checkCdkCommand, 2)).toEqual([]))

  it.each([
    ['deplyo', 'no command deplyo'],
    ['drift --all', 'no option --all'],
    ['deploy --method soon', '--method is one of'],
    ['deploy -c', '-c needs a value'],
  ])('refuses cdk %s', (command, objection) => {
    expect(checkCdkCommand(command.split(' ')).join('; ')).toContain(objection)
  })
})

describe('the search for commands', () => {
  it('includes pipes, substitutions and quotes, and omits redirections and variables', () => {
    const script =
      'NAME=x aws a b "$(aws c d | jq .e)" > f && aws g \\\n  --h <id of the i> \'j k\'; if aws l 2>/dev/null; then m\nfi'
    expect(commandsOf(script)).toEqual([
      ['aws', 'c', 'd'],
      ['jq', '.e'],
      ['aws', 'a', 'b', '$(aws c d | jq .e)'],
      ['aws', 'g', '--h', '<id of the i>', 'j k'],
      ['aws', 'l'],
      ['m'],
      ['fi'],
    ])
  })

  it('includes blocks, pipeline steps, indented lines and inline code', () => {
    const text = [
      '1. Text `aws a\n   --b c`.',
      '   ```sh\n   aws d\n   ```',
      '```yaml\n- run: aws e\n- run: |\n    aws f\n```',
      '    aws g \\\n      --h',
    ].join('\n\n')
    const found = scriptsOf(text).flatMap(commandsOf)
    expect(found.filter(([program]) => program === 'aws').map((words) => words.slice(1).join(' '))).toEqual([
      'd',
      'e',
      'f',
      'g --h',
      'a --b c',
    ])
  })
})
