import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Permission } from './permission.ts';

/** A secondary index; its keys are strings. */
export interface IndexDefinition {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** What is readable from the index besides all keys: nothing, or whole rows. @default nothing */
  readonly projects?: 'all';
}

interface ServiceTableProps<Index extends string> {
  readonly indexes: Readonly<Record<Index, IndexDefinition>>;
  /** Retained when the stack goes, and protected from deletion. */
  readonly keepsData: boolean;
  /** How far back a point-in-time restore reaches, 1 to 35 days. */
  readonly restorableDays: number;
}

/** Which rows a permission covers, by how their partition key begins. */
export type Rows = `${string}#`;

/** What may be done to a row; a transaction is authorised action by action. */
export type Write = 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';

/** One table with keys `pk` and `sk`, on demand, restorable, from which expired rows vanish. */
export class ServiceTable<Index extends string> extends Construct {
  readonly name: string;
  private readonly arn: string;

  constructor(scope: Construct, id: string, props: ServiceTableProps<Index>) {
    super(scope, id);
    const table = new TableV2(this, 'Table', {
      partitionKey: text('pk'),
      sortKey: text('sk'),
      billing: Billing.onDemand(),
      timeToLiveAttribute: 'expires_at_seconds',
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: props.restorableDays,
      },
      deletionProtection: props.keepsData,
      removalPolicy: props.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      globalSecondaryIndexes: Object.entries<IndexDefinition>(props.indexes).map(secondaryIndex),
    });
    this.name = table.tableName;
    this.arn = table.tableArn;
  }

  /** Permission to read rows. */
  read(rows: Rows): Permission {
    return this.onRows(rows, ['dynamodb:BatchGetItem', 'dynamodb:Query']);
  }

  /** Permission to change rows, in the ways named. */
  write(rows: Rows, ...writes: readonly Write[]): Permission {
    return this.onRows(
      rows,
      writes.map((write) => `dynamodb:${write}`),
    );
  }

  /** Permission to query secondary indexes; the rows are by how the index's own partition key begins. */
  query(rows: Rows, ...indexes: readonly Index[]): Permission {
    return this.onRows(
      rows,
      ['dynamodb:Query'],
      indexes.map((index) => `${this.arn}/index/${index}`),
    );
  }

  private onRows(rows: Rows, actions: string[], resources = [this.arn]): Permission {
    return {
      statement: new PolicyStatement({
        actions,
        resources,
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${rows}*`] } },
      }),
    };
  }
}

const text = (name: string) => ({ name, type: AttributeType.STRING });

const secondaryIndex = ([indexName, index]: [string, IndexDefinition]): GlobalSecondaryIndexPropsV2 => ({
  indexName,
  partitionKey: text(index.partitionKey),
  sortKey: text(index.sortKey),
  projectionType: index.projects === 'all' ? ProjectionType.ALL : ProjectionType.KEYS_ONLY,
});
