//! Rows as a batch of Arrow data.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{ArrowError, DataType};

use crate::column::Columns;
use crate::table::{Entries, Table};
use crate::values::Column;

/// The rows of the next batch.
pub struct Batch {
    columns: Arc<Columns>,
    values: Vec<Column>,
    pub rows: usize,
    /// Their approximate size in bytes.
    pub bytes: usize,
}

impl Batch {
    pub fn new(columns: &Arc<Columns>) -> Batch {
        let values = columns.fields.iter();
        Batch {
            values: values
                .map(|&(field, part)| Column::new(field, part))
                .collect(),
            columns: Arc::clone(columns),
            rows: 0,
            bytes: 0,
        }
    }

    /// Appends complete rows of a table, which has the same columns.
    pub fn extend(&mut self, table: &mut Table, rows: Range<usize>) {
        for group in &mut table.groups {
            group.pad();
            self.group(group, &group.of_rows[rows.clone()]);
        }
        self.rows += rows.len();
        self.bytes += table.bytes / table.rows.max(1) * rows.len();
    }

    fn group(&mut self, group: &Entries, entries: &[u32]) {
        let first = entries.first().map_or(0, |&entry| entry as usize);
        let mut both = entries.iter().zip(first..);
        let adjacent = both
            .all(|(&entry, next)| entry as usize == next)
            .then(|| first..first + entries.len());
        for (number, from) in &group.columns {
            if from.is_null() {
                continue;
            }
            let column = &mut self.values[*number];
            match &adjacent {
                Some(range) => column.extend(self.rows, from, range),
                None => column.gather(self.rows, from, entries),
            }
        }
    }

    /// Takes the rows as a batch.
    pub fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let schema = &self.columns.schema;
        let mut nulls = Nulls::default();
        let columns = self.values.iter_mut().zip(schema.fields());
        let arrays = columns
            .map(|(column, field)| {
                let ty = field.data_type();
                // The fields of a null struct are not null, as the schema says.
                if column.is_null() && !matches!(ty, DataType::Struct(_)) {
                    return Ok(nulls.array(ty, rows));
                }
                column.fill(rows);
                column.finish(ty)
            })
            .collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
    }
}

/// Arrays of nulls. Columns of the same type share one.
#[derive(Default)]
struct Nulls(Vec<ArrayRef>);

impl Nulls {
    fn array(&mut self, ty: &DataType, len: usize) -> ArrayRef {
        let known = self.0.iter().find(|array| array.data_type() == ty);
        known.cloned().unwrap_or_else(|| {
            let array = new_null_array(ty, len);
            self.0.push(Arc::clone(&array));
            array
        })
    }
}
