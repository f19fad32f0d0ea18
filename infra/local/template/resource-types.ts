/** The values that CloudFormation knows of a deployment; here they only have to be consistent. */
export const pseudo: Record<string, string | undefined> = {
  'AWS::AccountId': '000000000000',
  'AWS::Region': 'us-east-1',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::NoValue': undefined,
}

/** Handlers of schedules that care for parts of AWS alone: one machine has no versions of functions. */
export const withoutCounterpart: ReadonlySet<string> = new Set(['schedules/prune-versions.handler'])

/** The property with a resource's name. A type that is not here has no name that we could use. */
export const names: Record<string, string> = {
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Kinesis::Stream': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::S3::Bucket': 'BucketName',
}

export const attributes: Record<string, string[]> = {
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
