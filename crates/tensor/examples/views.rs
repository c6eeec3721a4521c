//! Aliasing, versions and stale handles, step by step: `cargo run --example views`.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use stratal_tensor::{
    Tensor, TensorError, TensorOptions,
    base::DType,
    memory::{Arena, Pool},
};

fn main() -> Result<(), TensorError> {
    println!("A matrix, and a view of its last column, backwards. Both are one buffer.");
    let matrix = Tensor::arange(0, 12, 1, DType::I32)?.reshape(&[3, 4])?;
    let column = matrix.select(1, -1)?.flip(&[0])?;
    println!("{matrix}\n{column}\n{column:?}\n");

    println!("What is written through one is read through the other, and counted once for both.");
    column.fill(-1)?;
    println!("{matrix}");
    println!("version {} and {}\n", matrix.version(), column.version());

    println!("While somebody reads, nobody writes; and the other way round.");
    let reading = matrix.data::<i32>()?;
    if let Err(error) = column.fill(7) {
        println!("refused: {error}\n");
    }
    drop(reading);

    println!("A view that repeats an element can be read, but not written.");
    let repeated = matrix.select(0, 0)?.expand(&[2, 4])?;
    println!("{repeated}");
    if let Err(error) = repeated.fill(7) {
        println!("refused: {error}\n");
    }

    println!("A copy onto itself reads what was there before.");
    let row = matrix.select(0, 1)?;
    row.narrow(0, 1, 3)?.copy_from(&row.narrow(0, 0, 3)?)?;
    println!("{row}\n");

    println!("Releasing ends the buffer for every view at once. A handle left behind knows.");
    matrix.release()?;
    println!("{column}\n");

    println!("So does a tensor of an arena that was reset.");
    let mut arena = Arena::new(&Pool::new());
    let state = TensorOptions::new(DType::F32).allocator(&arena).zeroed(true).empty(&[2, 2])?;
    println!("{state}");
    if arena.reset().is_ok() {
        println!("{state}");
    }
    Ok(())
}
